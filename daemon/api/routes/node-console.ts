// /v1/nodes/{node}/states/console.
import { getConsole, setConsole } from '../../conductor/console.ts';
import { takeArguments } from '../arguments.ts';
import { accepted, nodeOf } from '../node-request.ts';
import { type ApiRequest, type Reply, type Route, route } from '../route.ts';

const CONSOLE = '/v1/nodes/:node/states/console';

export const nodeConsoleRoutes: readonly Route[] = [
  route({ method: 'GET', path: CONSOLE, since: 1, handler: show }),
  route({ method: 'PUT', path: CONSOLE, since: 1, body: 'arguments', handler: change }),
];

async function show(request: ApiRequest): Promise<Reply> {
  const console = await getConsole(request.services, request.caller, nodeOf(request).uuid);
  return { status: 200, body: { console_enabled: console !== null, console_info: console } };
}

async function change(request: ApiRequest): Promise<Reply> {
  const { enabled } = takeArguments(request.body, { enabled: { kind: 'flag', required: true } });
  await setConsole(request.services, request.caller, nodeOf(request).uuid, enabled);
  return accepted(request, 'states/console');
}
