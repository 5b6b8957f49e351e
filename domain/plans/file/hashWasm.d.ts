// One algorithm of the package by itself: as a whole it has 270 kB. Node finds no named exports in it.
declare module 'hash-wasm/dist/sha256.umd.min.js' {
  const algorithms: Pick<typeof import('hash-wasm'), 'createSHA256'>
  export default algorithms
}
