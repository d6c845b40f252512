/** The time of an event that brings none of its own: when it came. Told apart by its class, since any other time is the event's. */
import { DateTime } from '../value.ts'

export class ReceiveTime extends DateTime {}

export function receiveTime(): ReceiveTime {
  return new ReceiveTime(Date.now() * 1000)
}
