// One boot of the ramdisk: reports the hardware if a kernel parameter asks for it, looks up the node, serves the agent and sends
// heartbeats.
import { type Clock, sleep } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { SimulatedAgent } from './agent.ts';
import { type Certificate, selfSigned } from '../certificate.ts';
import type { RamdiskSurroundings } from './commands.ts';
import { inspectionReport } from './inventory.ts';
import { OWN_CONNECTION } from '../own-connection.ts';
import { type RunningServer, serve } from '../server.ts';
import type { Troubles } from '../troubles.ts';

export interface RamdiskSettings {
  /** `ipa-api-url`, `ipa-inspection-callback-url` and `ipa-agent-token` of the kernel's command line. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly surroundings: RamdiskSurroundings;
  readonly troubles: Troubles;
  readonly clock: Clock;
  /** Whether the agent uses HTTPS, with its own certificate, or plain HTTP. */
  readonly tls: boolean;
  /** Returns a number between 0 and 1. */
  readonly random: () => number;
  readonly tell: (what: string) => void;
}

const ADDRESS = '127.0.0.1';
const VERSION = '12.0.1';
/** The minimum interval between heartbeats. */
const SHORTEST_INTERVAL_SECONDS = 5;

interface Identity {
  readonly node: string;
  readonly token: string;
  readonly heartbeatSeconds: number;
}

/** What the ramdisk's heartbeats contain, and where they go. */
interface Speaker extends Identity {
  readonly api: string;
  readonly certificate: Certificate | undefined;
}

export class SimulatedRamdisk {
  readonly #settings: RamdiskSettings;
  readonly #gone = new AbortController();
  #agent: SimulatedAgent | undefined;
  #server: RunningServer | undefined;
  #requests = 0;
  #cancelHeartbeat = () => {};
  #lastHeartbeat = Number.NEGATIVE_INFINITY;

  constructor(settings: RamdiskSettings) {
    this.#settings = settings;
    void this.#live().catch((error: unknown) => {
      if (!this.#gone.signal.aborted) this.#settings.tell(`the ramdisk died: ${String(error)}`);
    });
  }

  /** True during an exchange between the ramdisk and the daemon; a request that waits for the end of a command does not count. */
  get conversing(): boolean {
    const open = (this.#server?.connections ?? 0) - (this.#agent?.heldReplies ?? 0);
    return this.#requests > 0 || open > 0;
  }

  /** Stops the agent; the ramdisk keeps running. */
  endAgent(): void {
    this.#gone.abort();
    this.#cancelHeartbeat();
    // a pending reply still arrives
    setImmediate(() => this.#server?.close());
  }

  async #live(): Promise<void> {
    const { parameters, troubles } = this.#settings;
    if (troubles.mute) return;
    const callback = parameters.get('ipa-inspection-callback-url');
    if (callback !== undefined) await this.#inspect(callback);
    const api = parameters.get('ipa-api-url');
    if (api === undefined) return;
    const identity = await this.#lookup(api);
    if (identity === undefined) return;
    const { tls } = this.#settings;
    const certificate = tls ? selfSigned(ADDRESS) : undefined;
    const speaker = { ...identity, api, certificate };
    const agent = this.#startAgent(speaker);
    this.#agent = agent;
    this.#server = await serve((question) => agent.answer(question), {
      ...(certificate && { certificate }),
      isDown: () => troubles.networkDown,
    });
    if (this.#gone.signal.aborted) return this.#server.close();
    await this.#heartbeat(speaker);
  }

  async #inspect(callback: string): Promise<void> {
    const report = inspectionReport(this.#settings.surroundings);
    for (const pause of [5, 5, 6, 12]) {
      const { status } = await this.#request(callback, { report });
      this.#settings.tell(`reported its hardware: ${status}`);
      if (status !== 0 && status !== 409 && status < 500) return;
      await this.#sleep(pause);
    }
    throw new Error('the daemon did not accept the inspection report');
  }

  async #lookup(api: string): Promise<Identity | undefined> {
    const booted = this.#settings.parameters.get('ipa-agent-token');
    const conflictPauses = [5, 10];
    for (let pause = 1; ; pause = Math.min(pause * 2, 60)) {
      const { status, body } = await this.#request(
        `${api}/v1/lookup?addresses=${encodeURIComponent(this.#settings.surroundings.mac)}`,
        { version: '1.62' },
      );
      const identity = status === 200 ? identityIn(body) : undefined;
      if (identity !== undefined) return this.#usable({ ...identity, token: booted ?? identity.token });
      await this.#sleep(status === 409 ? (conflictPauses.shift() ?? 30) : pause * this.#settings.random());
    }
  }

  /**
   * The token comes from the kernel parameters of a CD, or else from the lookup. The daemon sends the token only in answer to the
   * first lookup, and a mask in answer to later ones. An agent that gets only the mask stops working.
   */
  #usable(identity: Identity): Identity | undefined {
    const token = this.#settings.parameters.get('ipa-agent-token') ?? identity.token;
    if (token.length >= 32) return { ...identity, token };
    this.#settings.tell('did not get its token and stops working');
    return undefined;
  }

  #startAgent(speaker: Speaker): SimulatedAgent {
    const { surroundings, troubles, clock, tell } = this.#settings;
    return new SimulatedAgent({
      token: speaker.token,
      surroundings,
      troubles,
      clock,
      gone: this.#gone.signal,
      ended: (command) => {
        tell(command);
        this.#scheduleHeartbeat(speaker, 0);
      },
    });
  }

  async #heartbeat(speaker: Speaker): Promise<void> {
    const { troubles, clock, random } = this.#settings;
    this.#lastHeartbeat = clock.now();
    const { api, node, token, heartbeatSeconds, certificate } = speaker;
    const { status } = await this.#request(`${api}/v1/heartbeat/${node}`, {
      version: '1.68',
      report: {
        callback_url: troubles.foreignAddress ?? this.#address(certificate),
        agent_token: troubles.foreignToken ?? token,
        agent_version: VERSION,
        ...(certificate && { agent_verify_ca: troubles.foreignCertificate ?? certificate.cert }),
      },
    });
    const seconds = status === 202 ? heartbeatSeconds * (0.3 + 0.3 * random()) : 5 + 5 * random();
    this.#scheduleHeartbeat(speaker, seconds);
  }

  #scheduleHeartbeat(speaker: Speaker, seconds: number): void {
    if (this.#gone.signal.aborted) return;
    this.#cancelHeartbeat();
    const { clock } = this.#settings;
    const earliest = this.#lastHeartbeat + SHORTEST_INTERVAL_SECONDS * 1000 - clock.now();
    this.#cancelHeartbeat = clock.after(Math.max(seconds * 1000, earliest), () => {
      void this.#heartbeat(speaker);
    });
  }

  #address(certificate: Certificate | undefined): string {
    return `${certificate === undefined ? 'http' : 'https'}://${ADDRESS}:${this.#server?.port ?? 0}`;
  }

  /** Status 0: no answer, or an answer that is not JSON. */
  async #request(
    url: string,
    { version, report }: { readonly version?: string; readonly report?: JsonObject },
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    this.#gone.signal.throwIfAborted();
    if (this.#settings.troubles.networkDown) return { status: 0, body: undefined };
    this.#requests += 1;
    try {
      const answer = await fetch(url, {
        headers: {
          ...OWN_CONNECTION,
          'content-type': 'application/json',
          ...(version !== undefined && { 'x-openstack-ironic-api-version': version }),
        },
        ...(report && { method: 'POST', body: JSON.stringify(report) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    } catch {
      return { status: 0, body: undefined };
    } finally {
      this.#requests -= 1;
    }
  }

  #sleep(seconds: number): Promise<void> {
    return sleep(this.#settings.clock, seconds * 1000, this.#gone.signal);
  }
}

function identityIn(body: unknown): Identity | undefined {
  if (!isJsonObject(body)) return undefined;
  const { node, config } = body;
  if (!isJsonObject(node) || !isJsonObject(config)) return undefined;
  const { agent_token: token, heartbeat_timeout: heartbeatSeconds } = config;
  const { uuid } = node;
  if (typeof uuid !== 'string' || typeof token !== 'string' || typeof heartbeatSeconds !== 'number')
    return undefined;
  return { node: uuid, token, heartbeatSeconds };
}
