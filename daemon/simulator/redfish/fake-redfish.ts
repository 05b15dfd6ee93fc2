// "#plugin-api/fake-redfish": a simulated machine with a Redfish BMC, on loopback, for the tests of plugins and for simulated
// racks.
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import consumers from 'node:stream/consumers';
import { type Clock, sleep, systemClock } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { BmcCredentials } from './accounts.ts';
import { FakeBmc, type BmcReply, type BmcRequest } from './fake-bmc.ts';
import { FakeMachine, type MachineSettings } from './machine.ts';
import { pushEvent } from './push-events.ts';
import type { MachineShape } from './shape.ts';
import { type ShapeName, shapeOf } from './shapes.ts';

export type { InjectedFault } from './faults.ts';
export type { BootSource } from './machine.ts';
export type { EtagHabit, MachineShape } from './shape.ts';
export { type ShapeName, shapeNames } from './shapes.ts';

export interface FakeRedfishSettings extends Partial<MachineSettings> {
  /** The kind of BMC, such as `ami`; not set: `plain`. */
  readonly shape?: ShapeName;
  /** The fields in which the BMC differs from that shape. */
  readonly differences?: Partial<MachineShape>;
  /** If absent: user admin, password secret. */
  readonly credentials?: BmcCredentials;
  /** Certificate and key (PEM). If present, the BMC speaks HTTPS. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** The delay before each answer. */
  readonly latencyMilliseconds?: number;
  /** Whether the BMC resets the connection right after each answer. */
  readonly resetsConnections?: boolean;
  readonly port?: number;
  /** The IPv4 address; not set: 127.0.0.1. */
  readonly host?: string;
}

export interface FakeRedfish {
  /** Scheme, host and port. */
  readonly address: string;
  readonly bmc: FakeBmc;
  readonly machine: FakeMachine;
  stop(): Promise<void>;
}

export async function startFakeRedfish(settings: FakeRedfishSettings = {}): Promise<FakeRedfish> {
  const { clock = systemClock, latencyMilliseconds = 0, resetsConnections = false } = settings;
  const shape = shapeOf(settings.shape ?? 'plain', settings.differences);
  const machine = new FakeMachine(shape, { number: 0, clock, powerSeconds: 0, postSeconds: 0, ...settings });
  machine.report = (event) => void pushEvent(machine, event);
  const bmc = new FakeBmc(machine, clock, settings.credentials ?? { username: 'admin', password: 'secret' });
  const handle = (request: http.IncomingMessage, response: http.ServerResponse) =>
    void converse({ bmc, clock, latencyMilliseconds, resetsConnections }, request, response).catch(() =>
      response.destroy(),
    );
  const { server, address } = await listening(settings, handle);
  return {
    address,
    bmc,
    machine,
    async stop() {
      machine.unplug();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listening(
  { certificate, host = '127.0.0.1', port = 0 }: FakeRedfishSettings,
  handle: http.RequestListener,
) {
  const server =
    certificate === undefined ? http.createServer(handle) : https.createServer(certificate, handle);
  await once(server.listen(port, host), 'listening');
  const { port: actual } = server.address() as AddressInfo;
  return { server, address: `${certificate === undefined ? 'http' : 'https'}://${host}:${actual}` };
}

interface Serving {
  readonly bmc: FakeBmc;
  readonly clock: Clock;
  readonly latencyMilliseconds: number;
  readonly resetsConnections: boolean;
}

async function converse(
  { bmc, clock, latencyMilliseconds, resetsConnections }: Serving,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const body = await consumers.text(request);
  if (latencyMilliseconds > 0) await sleep(clock, latencyMilliseconds);
  const reply = bmc.answer(readRequest(request, body));
  if (reply === 'cut') request.socket.destroy();
  if (reply === 'cut' || reply === 'silence') return;
  if (resetsConnections) response.on('finish', () => request.socket.resetAndDestroy());
  await send(reply, request, response);
}

async function send(
  { status, headers, body, text = textOf(body), isHalf, until }: Exclude<BmcReply, string>,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  await until?.();
  response.writeHead(status, {
    'content-type': 'application/json',
    'odata-version': '4.0',
    ...headers,
    ...(isHalf && { 'content-length': Buffer.byteLength(text) }),
  });
  if (isHalf) response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
  else response.end(request.method === 'HEAD' ? '' : text);
}

function readRequest({ method = 'GET', url = '/', headers }: http.IncomingMessage, body: string): BmcRequest {
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
