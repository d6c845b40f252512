/**
 * Asks `/health` on a fixed beat, whether or not the last one was answered: a stall is met by every request that falls into it. In a thread of
 * its own, so that what the bench itself is busy with is not taken for the server's delay.
 */
import { Agent, get } from 'node:http'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'

const INTERVAL_MS = 10

try {
  // What keeps the probe from its processor is not the server's delay.
  setPriority(-10)
} catch {
  // Only for those who may.
}

const { url } = workerData as { readonly url: string }
const agent = new Agent({ keepAlive: true })
const times: Promise<number>[] = []

const ask = (): Promise<number> => {
  const askedAt = performance.now()
  return new Promise((resolve, reject) => {
    get(url, { agent }, response => {
      response.resume()
      response.once('end', () => resolve(performance.now() - askedAt))
    }).once('error', reject)
  })
}

const timer = setInterval(() => times.push(ask()), INTERVAL_MS)
parentPort!.once('message', async () => {
  clearInterval(timer)
  parentPort!.postMessage(await Promise.all(times))
  agent.destroy()
})
