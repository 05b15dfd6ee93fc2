// The serial consoles that are open, by node.
import { join } from 'node:path';
import type { Config } from '../../config/sections/core-sections.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { Places } from '../../lib/limits/places.ts';
import { reasonOf } from '../../model/faults.ts';
import type { SerialProgram } from '../../plugin-api/index.ts';
import type { Recorder } from '../timeline/recorder.ts';
import { ConsoleLog, deleteConsoleLog, readConsoleLog } from './console-log.ts';
import { openConsolePort } from './console-port.ts';
import { SerialLine } from './serial-line.ts';
import { hostInUrl } from '../../lib/network/ip.ts';

interface ConsolesSettings {
  readonly config: Pick<Config, 'console' | 'DEFAULT'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeline: Pick<Recorder, 'record'>;
}

/** How many web sockets may be attached to consoles at the same time: in total, and for one user or address. */
export const PLACES = { most: 64, mostOfOne: 16 };

interface OpenConsole {
  readonly line: SerialLine;
  /** The TCP port; undefined if the console has none. */
  readonly port: number | undefined;
  readonly closePort: () => void;
}

export class SerialConsoles {
  readonly #settings: ConsolesSettings;
  readonly #open = new Map<string, OpenConsole>();
  /** Limits the clients that are attached over web sockets: each takes a place. */
  readonly places = new Places(PLACES);

  constructor(settings: ConsolesSettings) {
    this.#settings = settings;
  }

  /** Connects the line and opens its port. Rejects with the reason when either fails. */
  async open(node: string, program: () => Promise<SerialProgram>): Promise<void> {
    this.close(node, 'The console is started again.');
    const { config, clock, log, timeline } = this.#settings;
    const first = await program();
    const kept = new ConsoleLog(this.#pathOf(node), config.console.log_limit);
    const line = await SerialLine.open(first, {
      program,
      kept,
      clock,
      log: log.child({ node }),
      happened: (event) => timeline.record({ hop: 'console', node, ...event }),
    });
    try {
      this.#open.set(node, { line, ...(await this.#openPort(line, first.port)) });
    } catch (error) {
      line.close('The console cannot be offered at its port.');
      throw error;
    }
  }

  /** Closes the console, and tells every client the reason, which is a sentence. */
  close(node: string, reason: string): void {
    const console = this.#open.get(node);
    this.#open.delete(node);
    console?.line.close(reason);
    console?.closePort();
  }

  closeAll(reason: string): void {
    for (const node of this.#open.keys()) this.close(node, reason);
  }

  /** Undefined until the console has been connected for the first time, and once it is closed. */
  lineOf(node: string): SerialLine | undefined {
    return this.#open.get(node)?.line;
  }

  /** Undefined when the console is not open or has no port. */
  urlOf(node: string): string | undefined {
    const port = this.#open.get(node)?.port;
    return port === undefined ? undefined : `tcp://${hostInUrl(this.#host)}:${port}`;
  }

  logOf(node: string): Buffer {
    return readConsoleLog(this.#pathOf(node));
  }

  forget(node: string): void {
    this.close(node, 'The node was deleted.');
    deleteConsoleLog(this.#pathOf(node));
  }

  get #host(): string {
    const { config } = this.#settings;
    return config.console.socat_address ?? config.DEFAULT.my_ip;
  }

  #pathOf(node: string): string {
    return join(this.#settings.config.DEFAULT.state_path, 'consoles', `${node}.log`);
  }

  async #openPort(line: SerialLine, wanted: number | null): Promise<Omit<OpenConsole, 'line'>> {
    const { config, clock } = this.#settings;
    const { port_range: ranges, terminal_timeout: idleSeconds } = config.console;
    const host = this.#host;
    const candidates = wanted === null ? portsIn(ranges) : [wanted];
    const taken = new Set([...this.#open.values()].map(({ port }) => port));
    for (const port of candidates) {
      if (taken.has(port)) continue;
      try {
        return { port, closePort: await openConsolePort(line, { host, port, idleSeconds, clock }) };
      } catch (error) {
        if (wanted !== null || !reasonOf(error).includes('EADDRINUSE')) throw error;
      }
    }
    if (wanted !== null)
      throw new Error(`port ${wanted} (ipmi_terminal_port) is used by another node's console`);
    if (ranges.length > 0) throw new Error(`no port of [console] port_range ${ranges.join(',')} is free`);
    return { port: undefined, closePort() {} };
  }
}

/** As in Ironic, the last port of a range is not used. */
function* portsIn(ranges: readonly string[]): Generator<number> {
  for (const range of ranges) {
    const [first = 0, end = 0] = range.split(':').map(Number);
    for (let port = first; port < end; port += 1) yield port;
  }
}
