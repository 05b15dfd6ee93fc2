// Finds BMCs in the networks of [zero_touch] bmc_networks: by what others say of them, and by scans. Asks no address outside them.
import type { Config } from '../../config/sections/core-sections.ts';
import type { Database } from '../../db/database.ts';
import { sleep, timestamp } from '../../lib/clock.ts';
import { Rates } from '../../lib/limits/rates.ts';
import { Seldom } from '../../lib/limits/seldom.ts';
import type { Logger } from '../../lib/logger.ts';
import { isInSubnet } from '../../lib/network/ip.ts';
import { inParallel } from '../../lib/periodic.ts';
import { fault } from '../../model/faults.ts';
import type { FoundBmc } from '../../model/zero-touch/found-bmc.ts';
import { findingLimits } from '../limits.ts';
import { type AskBmc, type ProbeAnswer, createBmcAsker } from './ask-bmc.ts';
import {
  type BmcHint,
  type BmcSighting,
  knownBmc,
  recordSighting,
  type SightingServices,
} from './record-sighting.ts';
import { requestedNetworks, scannable, scannedAddresses } from './scan-targets.ts';
import { searchBySsdp } from './ssdp.ts';

interface FinderParts {
  readonly db: Database;
  readonly config: Pick<Config, 'zero_touch'>;
  readonly clock: SightingServices['clock'];
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

export interface BmcScan {
  readonly networks: readonly string[];
  /** How many addresses it asks. */
  readonly addresses: number;
  readonly asked: number;
  /** At how many a BMC answered. */
  readonly answered: number;
  readonly started_at: string;
  /** Null while it runs. */
  readonly ended_at: string | null;
}

/** After how many seconds each a hint is followed; a BMC that has just got an address may still be starting. */
const ASKED_AFTER = { dhcp: [5, 55, 240], report: [0] } as const;

interface Hint extends BmcHint {
  readonly source: keyof typeof ASKED_AFTER;
  /** Who said it, so that a stranger who says much is not heard instead of others. */
  readonly sender?: string;
}

export class FoundBmcs {
  /** Called after the commit with each record that is new, or changed in address or identity, or that has answered at last. */
  readonly changed = new Set<(bmc: FoundBmc) => void>();
  /** Called with the record of a BMC on which a ramdisk says to have made a login. */
  readonly loginClaimed = new Set<(bmc: FoundBmc) => void>();
  readonly #parts: FinderParts;
  readonly #ask: AskBmc;
  readonly #rates: Rates;
  readonly #seldom: Seldom;
  #followed = 0;
  #scan: BmcScan | undefined;

  constructor(parts: FinderParts) {
    this.#parts = parts;
    this.#ask = createBmcAsker(parts);
    this.#rates = new Rates(parts.clock);
    const { hintPauseMilliseconds, scanned } = findingLimits;
    this.#seldom = new Seldom(parts.clock, hintPauseMilliseconds, scanned.ipv4);
    const { tooMany } = scannable(this.#networks);
    if (tooMany.length > 0 && parts.config.zero_touch.scan_interval > 0)
      parts.log.warn({ networks: tooMany }, 'networks of BMCs are too large for scans at an interval');
  }

  get #networks(): readonly string[] {
    return this.#parts.config.zero_touch.bmc_networks;
  }

  #isAllowed(address: string): boolean {
    return this.#networks.some((network) => isInSubnet(address, network));
  }

  /**
   * Takes in what anybody may have said of a BMC: stores it, and asks the BMC soon, but for each sender each address at most once an
   * hour.
   */
  hear({ sender = '', ...hint }: Hint): void {
    if (!this.#isAllowed(hint.address) || this.#followed >= findingLimits.followedHints) return;
    if (!this.#rates.take(sender, findingLimits.hints) || !this.#seldom.isDue(`${hint.address} ${sender}`))
      return;
    this.#followed += 1;
    void this.#follow(hint).finally(() => (this.#followed -= 1));
  }

  async #follow(hint: Omit<Hint, 'sender'>): Promise<void> {
    const { db, clock, log, stopping } = this.#parts;
    try {
      // not within a transaction of the caller
      await Promise.resolve();
      this.#record(hint, knownBmc(db.foundBmcs, hint));
      for (const seconds of ASKED_AFTER[hint.source]) {
        if (seconds > 0) await sleep(clock, seconds * 1000, stopping);
        const answer = await this.#ask(hint.address);
        if (answer !== undefined) await this.#take({ ...hint, answer }, this.#ask);
        if (answer?.root !== undefined) return;
      }
    } catch (error) {
      if (!stopping.aborted) log.error({ error, address: hint.address }, 'a BMC could not be recorded');
    }
  }

  /** Takes in that a ramdisk says to have made a login on the BMC. A BMC that was not found yet is found by the report's hint. */
  loginMade(address: string): void {
    const known = this.#parts.db.foundBmcs.findBy('address', address);
    if (known !== undefined) for (const tell of this.loginClaimed) tell(known);
  }

  /** Asks the addresses of BMCs that an operator has named. */
  lookAt(addresses: readonly string[]): void {
    const { log, stopping } = this.#parts;
    const allowed = addresses.filter((address) => this.#isAllowed(address));
    void inParallel(allowed, findingLimits.asked.atOnce, async (address) => {
      const answer = await this.#ask(address);
      if (answer !== undefined) await this.#take({ source: 'scan', address, answer }, this.#ask);
    }).catch((error: unknown) => {
      if (!stopping.aborted) log.error({ error }, 'BMCs that are expected could not be asked');
    });
  }

  /** The scan that runs, or else the last one; undefined: none since the start of the daemon. */
  get scan(): BmcScan | undefined {
    return this.#scan;
  }

  /** Begins a scan of these networks, or of all. Throws a fault when they may not be scanned, or when a scan runs. */
  startScan(given: readonly unknown[]): BmcScan {
    const networks = requestedNetworks(this.#networks, given);
    const running = this.#scan;
    if (running?.ended_at === null)
      throw fault('ScanRunning', { networks: running.networks.join(', '), started: running.started_at });
    const { log, stopping } = this.#parts;
    void this.#run(networks, networks).catch((error: unknown) => {
      if (!stopping.aborted) log.error({ error, networks }, 'the scan for BMCs has failed');
    });
    return this.#scan as BmcScan;
  }

  /** Scans all networks, without those that are too large, unless a scan runs. Resolves at its end. */
  async scanAll(): Promise<void> {
    if (this.#scan?.ended_at === null) return;
    await this.#run(scannable(this.#networks).within, this.#networks);
  }

  /** Asks each address of `networks` once, and looks in `searched` by SSDP. */
  async #run(networks: readonly string[], searched: readonly string[]): Promise<void> {
    const { clock, log, stopping } = this.#parts;
    const addresses = scannedAddresses(networks);
    const progress = { asked: 0, answered: 0 };
    const begun = { networks, addresses: addresses.length, started_at: timestamp(clock.now()) };
    const tell = (ended: string | null) => (this.#scan = { ...begun, ...progress, ended_at: ended });
    const answers = new Map<string, Promise<ProbeAnswer | undefined>>();
    const askOnce: AskBmc = (address) => {
      const answer = answers.get(address) ?? this.#ask(address);
      answers.set(address, answer);
      return answer;
    };
    const look = async (address: string, source: 'scan' | 'ssdp') => {
      const answer = await askOnce(address);
      if (answer !== undefined) await this.#take({ source, address, answer }, askOnce);
      return answer;
    };
    tell(null);
    try {
      await Promise.all([
        searchBySsdp({ networks: searched, clock, log, stopping }).then((found) =>
          inParallel(
            found,
            findingLimits.asked.atOnce,
            async (address) => void (await look(address, 'ssdp')),
          ),
        ),
        inParallel(addresses, findingLimits.asked.atOnce, async (address) => {
          const answer = await look(address, 'scan');
          progress.asked += 1;
          if (answer !== undefined) progress.answered += 1;
          tell(null);
        }),
      ]);
    } finally {
      tell(timestamp(clock.now()));
    }
    log.info({ ...begun, ...progress }, 'scanned for BMCs');
  }

  /**
   * Stores what a BMC has answered. A BMC that is known at another address has moved only if it no longer answers there; if it does,
   * it has two addresses, and keeps the first. Two BMCs with one UUID are told apart by their MAC addresses.
   */
  async #take(sighting: BmcSighting, ask: AskBmc): Promise<void> {
    const owner = knownBmc(this.#parts.db.foundBmcs, sighting);
    if (owner === undefined || !(await this.#isElsewhere(owner, sighting, ask)))
      return this.#record(sighting, owner);
    const { address, mac = owner.mac } = sighting;
    if (owner.mac !== null && mac !== owner.mac) return this.#record(sighting, undefined);
    this.#parts.log.info({ address, before: owner.address }, 'a BMC that is known answers at two addresses');
  }

  async #isElsewhere(owner: FoundBmc, { address }: BmcSighting, ask: AskBmc): Promise<boolean> {
    const { address: before } = owner;
    if (before === null || before === address || !this.#isAllowed(before)) return false;
    return isSameBmc(owner, await ask(before));
  }

  #record(sighting: BmcSighting, owner: FoundBmc | undefined): void {
    const { changed, isFull } = recordSighting(this.#parts, sighting, owner);
    const { address } = sighting;
    if (isFull === true)
      this.#parts.log.warn({ address }, 'a BMC is not recorded: too many are being taken in');
    for (const bmc of changed) for (const tell of this.changed) tell(bmc);
  }
}

/** Whether the BMC of the record gave the answer. */
function isSameBmc({ redfish_uuid: uuid }: FoundBmc, answer: ProbeAnswer | undefined): boolean {
  if (answer === undefined) return false;
  return uuid === null || answer.root?.uuid === uuid;
}
