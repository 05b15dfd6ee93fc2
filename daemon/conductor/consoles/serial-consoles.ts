// The serial consoles that are enabled, by node.
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Config } from '../../config/sections/core-sections.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { reasonOf } from '../../model/faults.ts';
import type { SerialProgram } from '../../plugin-api/index.ts';
import { ConsoleLog, deleteConsoleLog, readConsoleLog } from './console-log.ts';
import { openConsolePort } from './console-port.ts';
import { SerialLine } from './serial-line.ts';

interface ConsolesSettings {
  readonly config: Pick<Config, 'console' | 'DEFAULT'>;
  readonly clock: Clock;
  readonly log: Logger;
}

interface OpenConsole {
  readonly line: SerialLine;
  /** The TCP port; undefined without one. */
  readonly port: number | undefined;
  readonly closePort: () => void;
}

export class SerialConsoles {
  readonly #settings: ConsolesSettings;
  readonly #open = new Map<string, OpenConsole>();

  constructor(settings: ConsolesSettings) {
    this.#settings = settings;
  }

  /** Connects the line and opens its port. Rejects with the reason when either fails. */
  async open(node: string, program: () => Promise<SerialProgram>): Promise<void> {
    this.close(node);
    const { config, clock, log } = this.#settings;
    const first = await program();
    const kept = new ConsoleLog(this.#pathOf(node), config.console.log_limit);
    const line = await SerialLine.open(first, { program, kept, clock, log: log.child({ node }) });
    try {
      this.#open.set(node, { line, ...(await this.#openPort(line, first.port)) });
    } catch (error) {
      line.close();
      throw error;
    }
  }

  close(node: string): void {
    const console = this.#open.get(node);
    this.#open.delete(node);
    console?.closePort();
    console?.line.close();
  }

  closeAll(): void {
    for (const node of this.#open.keys()) this.close(node);
  }

  /** Undefined when the console is not connected or has no port. */
  urlOf(node: string): string | undefined {
    const port = this.#open.get(node)?.port;
    return port === undefined
      ? undefined
      : `tcp://${isIPv6(this.#host) ? `[${this.#host}]` : this.#host}:${port}`;
  }

  logOf(node: string): Buffer {
    return readConsoleLog(this.#pathOf(node));
  }

  forget(node: string): void {
    this.close(node);
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
    if (wanted !== null) throw new Error(`another console has the port ${wanted} of ipmi_terminal_port`);
    if (ranges.length > 0) throw new Error(`no port of [console] port_range ${ranges.join(',')} is free`);
    return { port: undefined, closePort() {} };
  }
}

/** Ironic does not use the last port of a range. */
function* portsIn(ranges: readonly string[]): Generator<number> {
  for (const range of ranges) {
    const [first = 0, end = 0] = range.split(':').map(Number);
    for (let port = first; port < end; port += 1) yield port;
  }
}
