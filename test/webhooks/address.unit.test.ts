import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isGloballyReachable, isLoopback } from '../../domain/webhooks/address.ts'
import { urlFault } from '../../domain/webhooks/webhookUrl.ts'

const open = [
  ...['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.255.255', '172.32.0.0', '192.0.0.9', '192.0.0.10'],
  ...['192.0.1.0', '192.31.196.1', '192.52.193.1', '192.175.48.1', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
  ...['2606:4700:4700::1111', '2001:4860:4860::8888', '2001:200::1', '2001:1::1', '2001:3::1', '2001:4:112::1'],
  ...['2001:20::1', '2001:30::1', '2620:4f:8000::1', '64:ff9b::8.8.8.8', '64:ff9b::808:808'],
]
const closed = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.255'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.8', '192.0.0.11', '192.0.0.170'],
  ...['192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '::8.8.8.8'],
  ...['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::169.254.169.254', '64:ff9b:1::1', '64:ff9b:1::8.8.8.8'],
  ...['100::1', '100:0:0:1::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:2::1', '2001:10::1'],
  ...['2001:db8::1', '2002:7f00:1::', '2002:808:808::', '3fff::1', '3fff:fff::1', '5f00::1', 'fc00::1', 'fd00::1'],
  ...['fe80::1', 'fec0::1', 'ff02::1', '4000::1', 'e000::1', 'fe80::1%eth0', '2606:4700:4700::1111%eth0'],
  ...['', 'localhost', '1.2.3', '127.1', '08.8.8.8', '1.1.1.1 '],
]

describe('an address', () => {
  it.each(open)('%s can be reached', (address) => expect(isGloballyReachable(address)).toBe(true))
  it.each(closed)('%s cannot be reached', (address) => expect(isGloballyReachable(address)).toBe(false))

  it('is judged alike behind a translating gateway', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
        const address = octets.join('.')
        // The protocol addresses of the IETF are reachable by themselves only.
        fc.pre(!['192.0.0.9', '192.0.0.10'].includes(address))
        expect(isGloballyReachable(`64:ff9b::${address}`)).toBe(isGloballyReachable(address))
      }),
    )
  })

  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['128.0.0.1', false],
    ['::2', false],
    ['localhost', false],
    ['', false],
    ['127.1', false],
  ])('%s is of this machine: %s', (address, isHere) => expect(isLoopback(address)).toBe(isHere))
})

describe('a URL', () => {
  it.each([
    ['https://example.com/hooks?x=1', undefined],
    ['https://example.com:443', undefined],
    ['https://example.com:1024/', undefined],
    ['https://example.com:65535/', undefined],
    ['https://1.1.1.1/', undefined],
    ['https://[2606:4700:4700::1111]:8443/', undefined],
    ['https://bücher.example/', undefined],
    ['HTTPS://EXAMPLE.COM', undefined],
    ['https://example.com:1023/', /port/],
    ['https://example.com:22/', /port/],
    ['https://example.com:65536/', /URL/],
    ['http://example.com/', /https/],
    ['ftp://example.com/', /https/],
    ['file:///etc/passwd', /https/],
    ['javascript:alert(1)', /https/],
    ['example.com', /URL/],
    ['', /URL/],
    ['https://', /URL/],
    ['https:example.com/', /https/],
    ['https:/example.com/', /https/],
    [' https://example.com/', /URL/],
    ['https://example.com/a b', /URL/],
    ['https://example.com/\u0001', /URL/],
    ['https://exa\tmple.com/', /URL/],
    ['https://example.com/\r\nx-more: 1', /URL/],
    ['https://example.com\\@10.0.0.1/', /URL/],
    ['https://user@example.com/', /credentials/],
    ['https://@example.com/', /credentials/],
    ['https://:@example.com', /credentials/],
    ['https://example.com/@name?a@b', undefined],
    ['https://user:secret@example.com/', /credentials/],
    ['https://example.com/#part', /fragment/],
    ['https://example.com/#', /fragment/],
    ['https://127.0.0.1/', /public/],
    ['https://127.1/', /public/],
    ['https://2130706433/', /public/],
    ['https://0x7f.0.0.1/', /public/],
    ['https://0177.0.0.1/', /public/],
    ['https://0/', /public/],
    ['https://[::1]/', /public/],
    ['https://[::ffff:127.0.0.1]/', /public/],
    ['https://[64:ff9b::7f00:1]/', /public/],
    ['https://１２７.0.0.1/', /public/],
    ['https://169.254.169.254/latest/meta-data', /public/],
    ['http://localhost:3001/', /https/],
  ])('%s: %s', (url, fault) => {
    const found = urlFault(url)
    if (fault) expect(found).toMatch(fault)
    else expect(found).toBeUndefined()
  })

  it.each([
    ['http://localhost:3001/', undefined],
    ['http://127.0.0.1:3001/', undefined],
    ['http://[::1]:3001/', undefined],
    ['http://127.1:3001/', undefined],
    ['http://localhost:80/', undefined],
    ['http://localhost:79/', /port/],
    ['http://example.com/', /https/],
    ['http://10.0.0.1/', /https/],
    ['https://10.0.0.1/', /public/],
    ['https://127.0.0.1/', /public/],
    ['https://example.com/', undefined],
  ])('%s on a laptop: %s', (url, fault) => {
    const found = urlFault(url, true)
    if (fault) expect(found).toMatch(fault)
    else expect(found).toBeUndefined()
  })
})
