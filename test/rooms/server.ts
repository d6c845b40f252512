import { runRoom } from '../room.ts'

await runRoom('server')
