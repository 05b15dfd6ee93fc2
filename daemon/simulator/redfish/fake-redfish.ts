// "#plugin-api/fake-redfish": a simulated machine with a Redfish BMC, on loopback, for the tests of plugins and for simulated
// racks.
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import consumers from 'node:stream/consumers';
import { type Clock, sleep, systemClock } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { FakeBmc, type Request } from './fake-bmc.ts';
import { FakeMachine, type MachineSettings } from './machine.ts';
import { pushEvent } from './push-events.ts';
import type { Credentials } from './sessions.ts';
import type { Shape } from './shape.ts';
import { type ShapeName, shapeOf } from './shapes.ts';

export type { InjectedFault } from './faults.ts';
export type { BootSource } from './machine.ts';
export type { EtagHabit, Shape } from './shape.ts';
export { type ShapeName, shapeNames } from './shapes.ts';

export interface FakeRedfishSettings extends Partial<MachineSettings> {
  /** The kind of BMC, such as `ami`; not set: `plain`. */
  readonly shape?: ShapeName;
  /** The fields in which the BMC differs from that shape. */
  readonly differences?: Partial<Shape>;
  /** If absent: user admin, password secret. */
  readonly credentials?: Credentials;
  /** Certificate and key (PEM). If present, the BMC speaks HTTPS. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** The delay before each answer. */
  readonly latencyMilliseconds?: number;
  readonly port?: number;
}

export interface FakeRedfish {
  /** Scheme, host and port. */
  readonly address: string;
  readonly bmc: FakeBmc;
  readonly machine: FakeMachine;
  stop(): Promise<void>;
}

export async function startFakeRedfish(settings: FakeRedfishSettings = {}): Promise<FakeRedfish> {
  const { clock = systemClock, certificate, latencyMilliseconds = 0, port = 0 } = settings;
  const shape = shapeOf(settings.shape ?? 'plain', settings.differences);
  const machine = new FakeMachine(shape, { number: 0, clock, powerSeconds: 0, postSeconds: 0, ...settings });
  machine.report = (event) => void pushEvent(machine, event);
  const bmc = new FakeBmc(machine, clock, settings.credentials ?? { username: 'admin', password: 'secret' });
  const handle = (request: http.IncomingMessage, response: http.ServerResponse) =>
    void converse({ bmc, clock, latencyMilliseconds }, request, response).catch(() => response.destroy());
  const server =
    certificate === undefined ? http.createServer(handle) : https.createServer(certificate, handle);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: actual } = server.address() as AddressInfo;
  return {
    address: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${actual}`,
    bmc,
    machine,
    async stop() {
      machine.unplug();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Serving {
  readonly bmc: FakeBmc;
  readonly clock: Clock;
  readonly latencyMilliseconds: number;
}

async function converse(
  { bmc, clock, latencyMilliseconds }: Serving,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const body = await consumers.text(request);
  if (latencyMilliseconds > 0) await sleep(clock, latencyMilliseconds);
  const reply = bmc.answer(readRequest(request, body));
  if (reply === 'cut') request.socket.destroy();
  if (reply === 'cut' || reply === 'silence') return;
  const { status, headers, text = textOf(reply.body) } = reply;
  response.writeHead(status, { 'content-type': 'application/json', 'odata-version': '4.0', ...headers });
  response.end(request.method === 'HEAD' ? '' : text);
}

function readRequest({ method = 'GET', url = '/', headers }: http.IncomingMessage, body: string): Request {
  const [path = '/', query = ''] = url.split('?', 2);
  return {
    method,
    path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path,
    query,
    token: oneOf(headers['x-auth-token']),
    authorization: headers.authorization,
    ifMatch: headers['if-match'],
    body: parsed(body),
    text: body,
    contentType: headers['content-type'] ?? '',
    hasBody: body !== '',
  };
}

const textOf = (body: JsonObject | undefined): string => (body === undefined ? '' : JSON.stringify(body));

const oneOf = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0];

function parsed(body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
