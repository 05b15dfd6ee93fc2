// What operators learn from the DHCP server: events of machines, and warnings. None of them is repeated for every packet.
import type { Clock } from '../../lib/clock.ts';
import { ipv4Text } from '../../lib/ipv4.ts';
import type { Logger } from '../../lib/logger.ts';
import { Seldom } from '../../lib/seldom.ts';
import type { BootEvent, RecordBootEvent } from '../boot-event.ts';
import { BootLoops } from './boot-loops.ts';
import type { Client } from './client.ts';

const PAUSE_MILLISECONDS = 3_600_000;

export class Reports {
  readonly log: Logger;
  readonly #record: RecordBootEvent;
  readonly #seldom: Seldom;
  readonly #loops: BootLoops;

  constructor(parts: { readonly log: Logger; readonly record: RecordBootEvent; readonly clock: Clock }) {
    this.log = parts.log;
    this.#record = parts.record;
    this.#seldom = new Seldom(parts.clock, PAUSE_MILLISECONDS);
    this.#loops = new BootLoops(parts.clock);
  }

  event(event: BootEvent): void {
    this.#record(event);
  }

  /** The machine gets no answer. Most such machines belong to other servers, so each is reported once an hour. */
  ignored(hop: BootEvent['hop'], mac: string | undefined, reason: string): void {
    this.log.debug({ mac, reason }, 'DHCP: no answer');
    if (mac !== undefined && this.#seldom.isDue(`${mac} ${reason}`))
      this.#record({ hop, mac, text: `gets no answer: ${reason}`, failed: true });
  }

  poolFull(reason: string): void {
    if (!this.#seldom.isDue(reason)) return;
    this.log.warn({}, `DHCP: ${reason}; extend the range in [dhcp_server] subnet, or shorten lease_time`);
    this.#record({ hop: 'dhcp', text: `a machine gets no address: ${reason}`, failed: true });
  }

  bootFileGiven(client: Client, file: string): void {
    const loop = this.#loops.given(client, file);
    if (loop === undefined) return;
    this.log.warn({ mac: client.mac, stage: client.stage, file }, `DHCP: a machine ${loop}`);
    this.#record({ hop: 'dhcp', mac: client.mac, text: loop, failed: true });
  }

  rival(server: number, onInterface: string): void {
    const address = ipv4Text(server);
    if (!this.#seldom.isDue(`server ${address}`)) return;
    const text = `another DHCP server, ${address}, gives addresses on ${onInterface}`;
    this.log.warn(
      { server: address, interface: onInterface },
      `DHCP: ${text}. Machines may boot the files that it names: switch that server off, or set [dhcp_server] mode = proxy`,
    );
    this.#record({ hop: 'dhcp', address, text, failed: true });
  }
}
