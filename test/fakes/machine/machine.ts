// A machine that is not there: a BMC that speaks Redfish, and what the machine boots, over real HTTP on loopback.
import type { Clock } from '../../../daemon/lib/clock.ts';
import type { JsonObject } from '../../../daemon/model/json.ts';
import { answerAsBmc, type BootOverride, type Hardware, noOverride, type PowerReset } from './bmc.ts';
import type { Surroundings, WrittenDisk } from './commands.ts';
import { Ramdisk } from './ramdisk.ts';
import { type Server, serve } from './server.ts';
import { noTroubles, type Troubles } from './troubles.ts';

export interface MachineSettings {
  readonly mac: string;
  readonly clock: Clock;
  /** Where its ramdisks find the daemon, whatever their kernel was told; also what it boots from the network. */
  readonly apiUrl: string;
  /** From power on until the ramdisk runs. */
  readonly bootSeconds?: number;
  readonly stepSeconds?: number;
  /** Whether its agent serves https with a certificate of its own; true unless given. */
  readonly tls?: boolean;
  /** Between 0 and 1; decides when heartbeats come. */
  readonly random?: () => number;
  /** Hears what happens. */
  readonly tell?: (what: string) => void;
}

/** How long the power takes to follow the BMC, and an operating system to shut down. */
const POWER_SECONDS = 1;

export class SimulatedMachine implements Hardware, Surroundings {
  readonly mac: string;
  readonly troubles: Troubles = noTroubles();
  readonly stepSeconds: number;
  hardwareManagers: JsonObject = { generic_hardware_manager: '1.2' };
  boot: BootOverride = noOverride;
  disk: WrittenDisk | undefined;
  /** The hash that the rescue ramdisk was given. */
  rescuePassword: string | undefined;
  /** What it booted last: `ramdisk`, `disk` or `nothing`. */
  booted: 'ramdisk' | 'disk' | 'nothing' = 'nothing';
  readonly #settings: MachineSettings;
  #power: 'On' | 'Off' = 'Off';
  #ramdisk: Ramdisk | undefined;
  #cancelNext = () => {};
  #bmc: Server | undefined;

  private constructor(settings: MachineSettings) {
    this.#settings = settings;
    this.mac = settings.mac;
    this.stepSeconds = settings.stepSeconds ?? 10;
  }

  /** Its BMC serves when this resolves; the power is off. */
  static async plugIn(settings: MachineSettings): Promise<SimulatedMachine> {
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

  /** A conversation with the daemon is going on. */
  get conversing(): boolean {
    return (this.#bmc?.connections ?? 0) > 0 || this.#ramdisk?.conversing === true;
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
  }

  reboot(): void {
    this.#stop();
    this.#start();
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
    this.#cancelNext();
    this.#ramdisk?.endAgent();
    this.#ramdisk = undefined;
  }

  #start(): void {
    this.#power = 'On';
    this.#settings.tell?.('power on');
    this.#next(this.#settings.bootSeconds ?? 60, () => this.#boot());
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
    else if (source === 'Pxe') this.#bootRamdisk(this.#networkBoot());
    else this.booted = this.disk === undefined ? 'nothing' : 'disk';
    this.#settings.tell?.(`booted ${this.booted}`);
  }

  /** What the site's boot server gives to machines that nobody manages. */
  #networkBoot(): URLSearchParams {
    return new URLSearchParams({
      'ipa-inspection-callback-url': `${this.#settings.apiUrl}/v1/continue_inspection`,
    });
  }

  #bootRamdisk(told: URLSearchParams): void {
    const { apiUrl, clock, tls = true, random = Math.random, tell = () => {} } = this.#settings;
    const parameters = new Map(told);
    if (parameters.has('ipa-api-url')) parameters.set('ipa-api-url', apiUrl);
    this.booted = 'ramdisk';
    const { troubles } = this;
    this.#ramdisk = new Ramdisk({ parameters, surroundings: this, troubles, clock, tls, random, tell });
  }
}
