/** OTLP over HTTP at the address its senders use: the same server as on the main port, with one route. */
import type { AddressInfo } from 'node:net'
import { serveContext } from '../app.ts'
import { Connections } from '../connections.ts'
import { OTLP_LISTENER_ROUTES } from '../routes/otlp.ts'
import { tlsSettings } from '../tls.ts'
import { printAddress } from './address.ts'
import type { ListenerKind } from './listener.ts'

export const otlpHttp: ListenerKind = {
  name: 'otlp.http',
  summary: 'OTLP over HTTP, JSON and protobuf',
  async start(context, address) {
    const app = serveContext(context, { routes: OTLP_LISTENER_ROUTES, tls: tlsSettings(context.config, 'otlp') })
    const connections = new Connections(app.server)
    await app.listen(address)
    return {
      address: printAddress(app.server.address() as AddressInfo),
      async stop(graceMs) {
        const timer = setTimeout(() => connections.destroyAll(), graceMs)
        const closed = app.close()
        connections.stop()
        await closed
        clearTimeout(timer)
      },
    }
  },
}
