/** The thread that builds parts. It waits for its blocks rather than returning for each: it has nothing else to do. */
import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads'
import { NODE_FILESYSTEM } from '../filesystem.ts'
import { stepBack } from '../nice.ts'
import type { BlockColumns } from '../part/columns.ts'
import { writePart } from '../part/write.ts'
import type { BlockMessage, BuildMessage, BuildReply } from './builder.ts'
import { Unpacker } from './handover.ts'

/** Behind the thread that takes requests. */
const NICENESS = 5

stepBack(NICENESS)
const caller = parentPort!
const tell = (reply: BuildReply) => caller.postMessage(reply)

caller.on('message', (message: BuildMessage) => tell(reply(message)))

/** Knows dictionaries of the part before. */
let unpacker = new Unpacker()

function reply({ part, blocks, sent, goesOn }: BuildMessage): BuildReply {
  if (goesOn) unpacker.nextPart()
  else unpacker = new Unpacker()
  try {
    const { directory, ...rest } = part
    return { done: writePart(NODE_FILESYSTEM, directory, { ...rest, blocks: received(blocks, sent) }) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    return { failed: { message: error instanceof Error ? error.message : String(error), code } }
  }
}

function* received(port: MessagePort, sent: Int32Array): Generator<BlockColumns> {
  for (let count = 0; ; count++) {
    while (Atomics.load(sent, 0) <= count) Atomics.wait(sent, 0, count)
    const received = receiveMessageOnPort(port) as { readonly message: BlockMessage } | undefined
    if (received === undefined) throw new Error('a block was counted that did not come')
    if (received.message === null) return
    tell({ wantsBlock: true })
    const { block, memory } = received.message
    yield unpacker.unpack(block)
    // Whoever asks for the next block has written this one.
    tell({ returned: memory })
  }
}
