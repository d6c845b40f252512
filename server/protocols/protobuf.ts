/** Fields of protobuf, read and written by a library that is loaded when the first message comes. */
import { load } from '../load.ts'

type Library = typeof import('protobufjs/minimal.js')

let library: Library | null = null

export function protobuf(): Library {
  library ??= load('protobufjs/minimal.js') as Library
  return library
}
