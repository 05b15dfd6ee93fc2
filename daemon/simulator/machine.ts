// A simulated machine: a Redfish BMC over HTTP and the agent of the booted ramdisk over HTTPS or HTTP, on loopback.
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../model/json.ts';
import { answerAsBmc, type BootOverride, type Hardware, noOverride, type PowerReset } from './bmc.ts';
import type { RamdiskSurroundings, WrittenDisk } from './ramdisk/commands.ts';
import { cdParameters } from './cd-boot.ts';
import { bootParameters } from './network-boot.ts';
import { SimulatedRamdisk } from './ramdisk/ramdisk.ts';
import { type RunningServer, serve } from './server.ts';
import { noTroubles, type Troubles } from './troubles.ts';

export interface SimulatedMachineSettings {
  readonly mac: string;
  /** Not set: the firmware has none. */
  readonly serialNumber?: string;
  readonly clock: Clock;
  /**
   * The URL at which the ramdisk reaches the daemon, in place of the one in the kernel parameters. A network boot without `bootUrl`
   * uses it too.
   */
  readonly apiUrl: string;
  /**
   * The daemon's boot HTTP server, from which the machine boots over the network. Not set: the site has a boot server of its own.
   */
  readonly bootUrl?: string;
  /** How long the firmware's power-on self test takes, at each power-on and reset; 0 if absent. */
  readonly postSeconds?: number;
  /** Time from the end of the self test until the ramdisk or the system on the disk runs; 60 if absent. */
  readonly bootSeconds?: number;
  readonly stepSeconds?: number;
  /** Whether the machine's agent downloads and verifies images; false if absent. */
  readonly fetchesImages?: boolean;
  /** Whether the machine's agent serves HTTPS with its own certificate; true if absent. */
  readonly tls?: boolean;
  /** Returns a number between 0 and 1, which determines the pauses between heartbeats and between lookups. */
  readonly random?: () => number;
  /** Called when the power has been switched off. */
  readonly poweredOff?: () => void;
  /** Receives each event. */
  readonly tell?: (what: string) => void;
}

/** What became of a firmware boot: `nothing` as long as the self test runs, and when it found neither a ramdisk nor a written disk. */
export type Booted = 'ramdisk' | 'disk' | 'nothing';

/** How long a power change takes, with or without a shutdown of the operating system. */
const POWER_SECONDS = 1;
const RETRY_SECONDS = 5;

/** What a rack has of each of its machines. */
export type PluggedMachine = Pick<SimulatedMachine, 'bmcUrl' | 'boots' | 'unplug'>;

export class SimulatedMachine implements Hardware, RamdiskSurroundings {
  readonly mac: string;
  readonly serialNumber: string;
  readonly troubles: Troubles = noTroubles();
  readonly stepSeconds: number;
  readonly fetchesImages: boolean;
  hardwareManagers: JsonObject = { generic_hardware_manager: '1.2' };
  boot: BootOverride = noOverride;
  disk: WrittenDisk | undefined;
  /** The password hash that the rescue ramdisk received. */
  rescuePassword: string | undefined;
  /** What the machine booted last; `nothing` before the first boot, or when it found neither a ramdisk nor a written disk. */
  booted: Booted = 'nothing';
  /** The firmware boots (power-ons and resets) so far, and what became of each. */
  readonly boots: Booted[] = [];
  readonly #settings: SimulatedMachineSettings;
  #power: 'On' | 'Off' = 'Off';
  #ramdisk: SimulatedRamdisk | undefined;
  #cancelNext = () => {};
  /** How often the machine was stopped. If that happens while a boot fetches its kernel parameters, the boot is abandoned. */
  #starts = 0;
  #isFetching = false;
  #bmc: RunningServer | undefined;

  private constructor(settings: SimulatedMachineSettings) {
    this.#settings = settings;
    this.mac = settings.mac;
    this.serialNumber = settings.serialNumber ?? '';
    this.stepSeconds = settings.stepSeconds ?? 10;
    this.fetchesImages = settings.fetchesImages ?? false;
  }

  /** Resolves when the machine's BMC serves; the power is off. */
  static async plugIn(settings: SimulatedMachineSettings): Promise<SimulatedMachine> {
    const machine = new SimulatedMachine(settings);
    machine.#bmc = await serve((question) => answerAsBmc(machine, question));
    return machine;
  }

  get bmcUrl(): string {
    return `http://127.0.0.1:${this.#bmc?.port ?? 0}`;
  }

  get powerState(): 'On' | 'Off' {
    return this.#power;
  }

  /** True during an exchange with the daemon. */
  get conversing(): boolean {
    return this.#isFetching || (this.#bmc?.connections ?? 0) > 0 || this.#ramdisk?.conversing === true;
  }

  reset(type: PowerReset): void {
    if (type === 'On') this.#next(POWER_SECONDS, () => this.#start());
    else if (type === 'ForceOff' || type === 'GracefulShutdown')
      this.#next(POWER_SECONDS, () => this.powerOff());
    else this.#next(POWER_SECONDS, () => this.reboot());
  }

  powerOff(): void {
    this.#stop();
    this.#power = 'Off';
    this.#settings.tell?.('power off');
    this.#settings.poweredOff?.();
  }

  reboot(): void {
    this.#stop();
    this.#start();
  }

  kexec(): void {
    const { bootSeconds = 60, tell } = this.#settings;
    this.#stop();
    tell?.('kexec');
    this.booted = 'nothing';
    this.#next(bootSeconds, () => this.#runDisk());
  }

  endAgent(): void {
    this.#ramdisk?.endAgent();
  }

  rescue(passwordHash: string): void {
    this.rescuePassword = passwordHash;
  }

  unplug(): void {
    this.#stop();
    this.#bmc?.close();
  }

  #stop(): void {
    this.#starts += 1;
    this.#cancelNext();
    this.#ramdisk?.endAgent();
    this.#ramdisk = undefined;
  }

  #start(): void {
    const { postSeconds = 0, bootSeconds = 60, tell } = this.#settings;
    this.#power = 'On';
    this.boots.push('nothing');
    tell?.('power on');
    this.#next(postSeconds + bootSeconds, () => this.#boot());
  }

  #next(seconds: number, action: () => void): void {
    this.#cancelNext();
    this.#cancelNext = this.#settings.clock.after(seconds * 1000, action);
  }

  #boot(): void {
    const { BootSourceOverrideTarget: target, BootSourceOverrideEnabled: enabled } = this.boot;
    const source = enabled === 'Disabled' ? 'None' : target;
    const uri = this.boot.HttpBootUri;
    if (enabled === 'Once') this.boot = { ...this.boot, BootSourceOverrideEnabled: 'Disabled' };
    if (source === 'UefiHttp') this.#bootRamdisk(new URL(uri).searchParams);
    else if (source === 'Pxe') return void this.#bootFetched(() => this.#networkBoot());
    else if (source === 'Cd') return void this.#bootFetched(() => cdParameters(uri));
    else this.#bootDisk();
  }

  #bootDisk(): void {
    this.#hasBooted(this.disk === undefined ? 'nothing' : 'disk');
  }

  #runDisk(): void {
    this.booted = this.disk === undefined ? 'nothing' : 'disk';
    this.#settings.tell?.(`runs ${this.booted} without a boot of the firmware`);
  }

  #hasBooted(what: Booted): void {
    this.booted = what;
    this.boots.splice(-1, 1, what);
    this.#settings.tell?.(`booted ${what}`);
  }

  /**
   * Boots the ramdisk with the fetched kernel parameters. If there are none, boots from the disk, if that is not empty. If they cannot
   * be fetched, tries again after a pause, as the daemon's iPXE script does.
   */
  async #bootFetched(fetched: () => Promise<URLSearchParams | undefined>): Promise<void> {
    const starts = this.#starts;
    this.#isFetching = true;
    const parameters = await fetched()
      .catch(() => 'failed' as const)
      .finally(() => (this.#isFetching = false));
    if (starts !== this.#starts) return;
    if (parameters === 'failed') this.#next(RETRY_SECONDS, () => void this.#bootFetched(fetched));
    else if (parameters === undefined) this.#bootDisk();
    else this.#bootRamdisk(parameters);
  }

  async #networkBoot(): Promise<URLSearchParams | undefined> {
    const { bootUrl } = this.#settings;
    if (bootUrl !== undefined) return bootParameters(bootUrl, this.mac);
    // the kernel parameters that the site's boot server gives to unmanaged machines
    return new URLSearchParams({
      'ipa-inspection-callback-url': `${this.#settings.apiUrl}/v1/continue_inspection`,
    });
  }

  #bootRamdisk(told: URLSearchParams): void {
    const { apiUrl, clock, tls = true, random = Math.random, tell = () => {} } = this.#settings;
    const parameters = new Map(told);
    const named = parameters.get('ipa-api-url');
    const callback = parameters.get('ipa-inspection-callback-url');
    if (named !== undefined) parameters.set('ipa-api-url', apiUrl);
    if (named !== undefined && callback?.startsWith(named) === true)
      parameters.set('ipa-inspection-callback-url', apiUrl + callback.slice(named.length));
    const { troubles } = this;
    this.#ramdisk = new SimulatedRamdisk({
      parameters,
      surroundings: this,
      troubles,
      clock,
      tls,
      random,
      tell,
    });
    this.#hasBooted('ramdisk');
  }
}
