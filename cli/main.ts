#!/usr/bin/env node
/** Where the command line starts: with little to read before what is to be done is known. */
import { entry } from '../storage/entry.ts'

const { main } = (await import(entry('cli/program.js').href)) as typeof import('./program.ts')
await main(process.argv)
