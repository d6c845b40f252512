declare module 'snappyjs' {
  export function compress(bytes: Uint8Array): Buffer
}
