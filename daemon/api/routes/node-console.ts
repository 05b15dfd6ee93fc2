// /v1/nodes/{node}/states/console: the serial console of a node, its log, and the WebSocket on which clients read and type.
import { attachToConsole } from '../../conductor/consoles/console-socket.ts';
import { nodeOf } from '../../conductor/records/find-record.ts';
import { getConsole, readConsole, setConsole } from '../../conductor/hardware/console.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { flagSchema, orNull, textSchema, wholeSchema } from '../../http/schema-parts.ts';
import { accepted } from './node-states.ts';

const CONSOLE = '/v1/nodes/:node/states/console';

const consoleSchema = wholeSchema({
  console_enabled: flagSchema,
  console_info: orNull({ type: 'object', properties: { type: textSchema, url: textSchema } }),
});

export const nodeConsoleRoutes: readonly Route[] = [
  route({ method: 'GET', path: CONSOLE, since: 1, answers: { 200: consoleSchema }, handler: show }),
  route({
    method: 'GET',
    path: `${CONSOLE}/log`,
    since: 1,
    answers: { 200: wholeSchema({ log: textSchema }) },
    handler: async (request) => ({
      status: 200,
      body: { log: readConsole(request, nodeOf(request).uuid) },
    }),
  }),
  route({
    method: 'GET',
    path: `${CONSOLE}/socket`,
    since: 1,
    media: 'websocket',
    query: { read_only: { kind: 'flag' }, take_over: { kind: 'flag' }, screen: { kind: 'flag' } },
    answers: { 101: null },
    handler(request) {
      const { read_only: readOnly = false, take_over: takeOver = false, screen = false } = request.query;
      const attachment = { readOnly, takeOver, screen };
      return { status: 101, socket: attachToConsole(request, nodeOf(request), attachment) };
    },
  }),
  route({
    method: 'PUT',
    path: CONSOLE,
    since: 1,
    body: { parameters: { enabled: { kind: 'flag', required: true } } },
    answers: { 202: null },
    async handler(request) {
      await setConsole(request, nodeOf(request).uuid, request.given.enabled);
      return accepted(request, 'states/console');
    },
  }),
];

async function show(request: ApiRequest): Promise<Reply> {
  const console = await getConsole(request, nodeOf(request).uuid);
  return { status: 200, body: { console_enabled: console !== null, console_info: console } };
}
