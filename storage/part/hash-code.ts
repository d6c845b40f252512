/** `finishHash` as machine code: how the loops of token filters end a token's hash, and find the places of one. */
import { type Code, op } from '../vector-module.ts'

const xorShifted = (local: number, by: number): Code => [
  ...[op.get(local), op.get(local), op.i32(by), op.shiftRight, op.xor, op.set(local)],
]
const multiplied = (local: number, by: number): Code => [op.get(local), op.i32(by | 0), op.multiply, op.set(local)]

/** Of a local, which has it then. */
export const finishHashCode = (local: number): Code => [
  ...[...xorShifted(local, 16), ...multiplied(local, 0x85ebca6b), ...xorShifted(local, 13)],
  ...[...multiplied(local, 0xc2b2ae35), ...xorShifted(local, 16)],
]
