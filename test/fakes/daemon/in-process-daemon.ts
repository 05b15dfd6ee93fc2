// The real daemon without a socket: real services on a temporary state directory, direct requests to the app.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recoverNodes } from '../../../daemon/conductor/loops/recover.ts';
import { startLoops } from '../../../daemon/conductor/loops/start-loops.ts';
import { registerConductor } from '../../../daemon/conductor/conductor-registration.ts';
import type { Services } from '../../../daemon/conductor/services.ts';
import { type Core, createCore } from '../../../daemon/main.ts';
import type { Node } from '../../../daemon/model/records/node.ts';
import { fakeClock, type FakeClock, settled } from '../clock.ts';

export interface RequestOptions {
  /** Minor version, sent in the legacy header; 115 unless given, null sends none. */
  readonly version?: number | null;
  /** Sent as JSON; a string, bytes or a stream are sent as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The fields of the API's documents; each document has some of them. */
export interface Document extends Readonly<Record<string, unknown>> {
  readonly uuid: string;
  readonly next: string;
  readonly href: string;
  readonly error_message: string;
  readonly faultstring?: string;
  readonly nodes: readonly Document[];
  readonly ports: readonly Document[];
  readonly drivers: readonly Document[];
  readonly conductors: readonly Document[];
  readonly history: readonly Document[];
  readonly links: readonly Document[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; undefined without a body. */
  readonly json: unknown;
  /** The parsed JSON as a document; empty without a body. */
  readonly body: Document;
  /** The message of an error document; empty for any other answer. */
  readonly fault: string;
}

export interface InProcessDaemon {
  readonly services: Services;
  readonly clock: FakeClock;
  readonly app: Core['app'];
  readonly stateDirectory: string;
  /** The whole log, one JSON object per line. */
  readonly log: () => string;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  createNode(fields?: Readonly<Record<string, unknown>>): Promise<Document>;
  createPort(node: string, address: string, fields?: Readonly<Record<string, unknown>>): Promise<Document>;
  /** The stored node. */
  node(uuid: string): Node;
  /** Resolves when no background work is running; the clock does not advance. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export interface InProcessOptions {
  /** Lines appended to the common configuration file. Those before the first section header belong to [DEFAULT]. */
  readonly ini?: string;
  /** An existing state directory that no running daemon uses, removed when the test ends; a new one by default. */
  readonly stateDirectory?: string;
  readonly clock?: FakeClock;
  /** Runs the conductor's periodic work on the fake clock. */
  readonly loops?: true;
  /** Runs plugins from outside the tree in processes of their own, as the real program does, instead of in this process. */
  readonly pluginsApart?: true;
}

/** Something with an end, such as a test: runs each action given to `after` when it ends. */
export interface Ending {
  after(stop: () => Promise<void>): void;
}

export const LAB_PLUGINS = fileURLToPath(new URL('../../fixtures/plugins', import.meta.url));

/** Starts a daemon that is stopped when the test ends. Its clock is fake: no delay passes unless the test advances the clock. */
export async function startInProcess(test: Ending, options: InProcessOptions = {}): Promise<InProcessDaemon> {
  const stateDirectory = options.stateDirectory ?? mkdtempSync(join(fastDirectory(), 'ironic-edge-'));
  const configFile = join(stateDirectory, 'ironic.conf');
  writeFileSync(configFile, baseConfiguration(stateDirectory) + (options.ini ?? ''));
  const lines: string[] = [];
  const clock = promptly(options.clock ?? fakeClock());
  let stop: (() => Promise<void>) | undefined;
  test.after(async () => {
    await stop?.();
    rmSync(stateDirectory, { recursive: true, force: true });
  });
  const core = await createCore({
    configFile,
    environment: {},
    clock,
    ...(options.pluginsApart !== true && { pluginsInside: true }),
    logDestination: { write: (line: string) => void lines.push(line) },
  });
  stop = begin(core, options.loops === true);
  return { ...clientOf(core), clock, app: core.app, stateDirectory, log: () => lines.join(''), stop };
}

/** Actions without a delay run without an advance of the clock. */
const promptly = (clock: FakeClock): FakeClock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  set: (milliseconds) => clock.set(milliseconds),
  advance: (milliseconds) => clock.advance(milliseconds),
  get pending() {
    return clock.pending;
  },
  get nextDue() {
    return clock.nextDue;
  },
  after(milliseconds, action) {
    if (milliseconds > 0) return clock.after(milliseconds, action);
    const soon = setImmediate(action);
    return () => clearImmediate(soon);
  },
});

// in memory where possible, because the database syncs every transaction
export const fastDirectory = () => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());

const baseConfiguration = (stateDirectory: string) => `[plugins]
path = ${LAB_PLUGINS}
[DEFAULT]
state_path = ${stateDirectory}
host = lab-host
enabled_hardware_types = fake-hardware,manual-management,lab,ipmi
[api]
allowed_hosts = ironic.test
[DEFAULT]
`;

function begin(
  { services, abort, authentication, observation, plugins }: Core,
  loops: boolean,
): () => Promise<void> {
  recoverNodes(services);
  registerConductor(services, true);
  observation.start();
  const stopLoops = loops ? startLoops(services) : () => Promise.resolve();
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    observation.stop();
    const loopsEnded = stopLoops();
    services.workers.close();
    services.timeline.close();
    abort.abort(new Error('the test is over'));
    await services.workers.idle();
    await loopsEnded;
    await Promise.all([services.inspection.close(), authentication.close()]);
    await services.bmcs.close();
    await observation.close();
    await plugins?.close();
    registerConductor(services, false);
    services.db.close();
  };
  return () => (stopped ??= stop());
}

function clientOf({ services, app }: Core) {
  const request = (method: string, path: string, options: RequestOptions = {}) =>
    send(app, method, path, options);
  const created = async (path: string, body: object) => {
    const answer = await request('POST', path, { body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  return {
    services,
    request,
    createNode: (fields: Readonly<Record<string, unknown>> = {}) =>
      created('/v1/nodes', { driver: 'fake-hardware', ...fields }),
    createPort: (node_uuid: string, address: string, fields: Readonly<Record<string, unknown>> = {}) =>
      created('/v1/ports', { node_uuid, address, ...fields }),
    node(uuid: string): Node {
      const node = services.db.nodes.get(uuid);
      assert.ok(node, `there is no node ${uuid}`);
      return node;
    },
    async idle() {
      await services.workers.idle();
      await settled();
    },
  };
}

async function send(
  app: Core['app'],
  method: string,
  path: string,
  { version = 115, body, headers = {} }: RequestOptions,
): Promise<Answer> {
  const sent = body === undefined ? undefined : rawBody(body);
  const init = {
    method,
    headers: {
      ...lengthHeader(sent),
      ...(version !== null && { 'x-openstack-ironic-api-version': `1.${version}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent, duplex: 'half' as const }),
  };
  const response = await app.fetch(new Request(`http://ironic.test${path}`, init));
  const text = await response.text();
  const json: unknown = text === '' ? undefined : JSON.parse(text);
  const parsed = (json ?? {}) as Document;
  const { status, headers: received } = response;
  return { status, headers: received, text, json, body: parsed, fault: faultOf(parsed) };
}

function rawBody(body: unknown): string | Uint8Array<ArrayBuffer> | ReadableStream {
  const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
  return raw ? (body as string) : JSON.stringify(body);
}

/** The Content-Length header, which HTTP clients send with a body of known length; a stream has none. */
const lengthHeader = (sent: ReturnType<typeof rawBody> | undefined): Readonly<Record<string, string>> =>
  sent === undefined || sent instanceof ReadableStream
    ? {}
    : { 'content-length': String(Buffer.byteLength(sent)) };

function faultOf(parsed: Document): string {
  const wrapped: unknown = parsed.error_message;
  const { faultstring } = typeof wrapped === 'string' ? (JSON.parse(wrapped) as Document) : parsed;
  return faultstring ?? '';
}
