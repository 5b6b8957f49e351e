import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { LiveRegion } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'

type Properties = {
  title: string
  /** Called by Escape and the button to close; without it the dialog stays until its task is done. */
  onClose?: (() => void) | undefined
  isWide?: boolean
  children: ComponentChildren
}

/** A dialog over the page. It is shown as long as it is rendered; the focus goes back to where it was. */
export function Dialog({ title, onClose, isWide = false, children }: Properties) {
  const texts = useTexts()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // At once: a key pressed meanwhile would go to the page behind.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => {
      // Closing gives the focus back, which removing does not, and leaves what has it out of sight if the page is narrower now.
      shown?.close()
      document.activeElement?.scrollIntoView({ block: 'nearest' })
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'wide' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {onClose && (
          <button type="button" class="icon quiet" aria-label={texts.common.close} onClick={onClose}>
            <span aria-hidden="true">×</span>
          </button>
        )}
      </header>
      {children}
      <LiveRegion />
    </dialog>
  )
}

type ActionsProperties = {
  /** The word on the button that does it. */
  action: string
  /** Does it; without it the button sends the form around it. */
  onAction?: (event: MouseEvent & { currentTarget: HTMLButtonElement }) => unknown
  isDangerous?: boolean
  isBusy: boolean
  /** The word on the button that leaves all as it is. */
  keep?: string | undefined
  onClose: () => void
}

/** The two buttons at the end of a dialog. */
export function DialogActions({ action, onAction, isDangerous = false, isBusy, keep, onClose }: ActionsProperties) {
  const texts = useTexts()
  return (
    <div class="dialog-actions">
      <button type="button" onClick={onClose}>
        {keep ?? texts.common.cancel}
      </button>
      <button
        type={onAction ? 'button' : 'submit'}
        class={isDangerous ? 'dangerous' : 'primary'}
        aria-disabled={isBusy}
        onClick={onAction}
      >
        {action}
      </button>
    </div>
  )
}
