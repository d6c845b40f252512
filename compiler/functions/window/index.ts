/** Every window function, in the order the reference shows them. To add one: its descriptor, one line here. */
import type { WindowFunction } from '../descriptor.ts'
import { lag, lead } from './offset.ts'
import { ewma, movingAvg, rowNumber, runningSum } from './running.ts'

export const WINDOWS: readonly WindowFunction[] = [lag, lead, rowNumber, runningSum, movingAvg, ewma]
