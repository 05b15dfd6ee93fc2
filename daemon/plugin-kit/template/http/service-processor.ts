// A service processor that exists only in memory, for tests and for trying out the plugin without a machine:
// `node service-processor.ts 8080` runs it.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ServiceProcessor {
  /** A URL such as `http://127.0.0.1:PORT`. */
  readonly address: string;
  readonly events: readonly string[];
  stop(): void;
}

/** Listens on `port`; 0 takes any free one. */
export async function startServiceProcessor(port = 0): Promise<ServiceProcessor> {
  let power = 'off';
  let events: readonly string[] = ['started'];
  const answers: Readonly<Record<string, (body: string) => string>> = {
    'GET /power': () => power,
    'PUT /power': (action) => {
      power = action === 'off' ? 'off' : 'on';
      events = [...events, `power ${action}`];
      return '';
    },
    'GET /events': () => events.join('\n'),
    'DELETE /events': () => {
      events = [];
      return '';
    },
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const answer = answers[`${request.method} ${request.url}`];
    const body = await text(request);
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(answer?.(body) ?? 'nothing is here');
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get events() {
      return events;
    },
    stop: () => server.close(),
  };
}

if (import.meta.main) {
  const { address } = await startServiceProcessor(Number(process.argv[2]));
  process.stdout.write(`${address}\n`);
}
