// The machine behind the simulated BMC: power, boot order, BIOS settings, volumes and firmware, and what a boot does to them.
import type { Clock } from '../../lib/clock.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { Refused } from './answer.ts';
import type { MachineShape } from './shape.ts';

/** What the machine boots from when it is powered on. */
export interface BootSource {
  /** The boot source in the words of Redfish, such as Pxe, Cd, Hdd or UefiHttp; `None` without an override. */
  readonly target: string;
  /** For Cd the URL of the image in the virtual CD drive, for UefiHttp the URL to boot; null if there is none. */
  readonly url: string | null;
}

export interface MachineSettings {
  /** A number from 0 to 65535 that distinguishes the machines of a rack. */
  readonly number: number;
  readonly clock: Clock;
  /** How long a power change takes. */
  readonly powerSeconds: number;
  /** How long the power-on self test takes. */
  readonly postSeconds: number;
  readonly booted?: ((source: BootSource) => void) | undefined;
  readonly poweredOff?: (() => void) | undefined;
}

export interface FakeEvent {
  readonly message: string;
  readonly messageId: string;
  readonly severity: 'OK' | 'Warning' | 'Critical';
}

export interface Medium {
  readonly image: string | null;
  readonly inserted: boolean;
}

const EMPTY: Medium = { image: null, inserted: false };
const FACTORY_SETTINGS = {
  BootMode: 'Uefi',
  ProcVirtualization: 'Disabled',
  NumLock: 'On',
  AcPwrRcvryUserDelay: 60,
  AssetTag: '',
};

const poweredBy: Readonly<Record<string, 'On' | 'Off'>> = {
  On: 'On',
  ForceOn: 'On',
  ForceOff: 'Off',
  GracefulShutdown: 'Off',
};

export const serialNumberOf = (machine: number): string => `SERIAL${machine + 1}`;

/** The MAC address of network card 1 or 2 of the machine with this number; 0: of its BMC. */
export function macOfCard(machine: number, card: number): string {
  const [high, low] = [machine >> 8, machine & 255].map((part) => part.toString(16).padStart(2, '0'));
  return `52:54:${high}:cc:${low}:0${card}`;
}

/** Tests may change the public members at any time. */
export class FakeMachine {
  readonly shape: MachineShape;
  power: string = 'Off';
  health: string = 'OK';
  /** Resets are accepted and do nothing. */
  isStuck = false;
  boot = {
    BootSourceOverrideTarget: 'None',
    BootSourceOverrideEnabled: 'Disabled',
    BootSourceOverrideMode: 'UEFI',
    HttpBootUri: null as string | null,
  };
  led = 'Off';
  secureBoot = false;
  secureBootWanted: boolean | undefined;
  keys = 'factory';
  attributes: Readonly<Record<string, Json>> = FACTORY_SETTINGS;
  attributesWanted: Readonly<Record<string, Json>> = {};
  /** The names of BIOS settings that a boot does not apply, so that they stay pending. */
  attributesStuck: readonly string[] = [];
  media: Readonly<Record<string, Medium>>;
  /** The image that an ISO configuration names, by Host and Path. */
  isoConfiguration: JsonObject = {};
  /** The volumes, by path. */
  volumes = new Map<string, JsonObject>();
  /** The mode of the storage controller of a Dell: RAID or HBA. */
  controllerMode = 'RAID';
  /** Whether a controller of a Dell has drives with the configuration of another machine. */
  hasForeignConfiguration = false;
  /** How many more times clients of a Dell must ask until the storage is ready. */
  asksUntilReady = 0;
  /** The drives that were erased, by path. */
  readonly erased = new Set<string>();
  subscriptions = new Map<string, JsonObject>();
  biosVersion = '1.0.0';
  bmcVersion: string;
  nicVersion = '1.0.0';
  dateTime = '2026-01-01T00:00:00+00:00';
  /** Called with each event that the BMC reports to its subscribers. */
  report: (event: FakeEvent) => void = () => {};
  /** Every reset, in order. */
  readonly resets: string[] = [];
  readonly #settings: MachineSettings;
  #atBoot: (() => void)[] = [];
  #postEnds = Number.NEGATIVE_INFINITY;
  #cancel = () => {};

  constructor(shape: MachineShape, settings: MachineSettings) {
    this.shape = shape;
    this.#settings = settings;
    this.bmcVersion = shape.managerFirmware;
    this.media = Object.fromEntries(Object.keys(shape.media).map((slot) => [slot, EMPTY]));
  }

  get isInPost(): boolean {
    return this.#settings.clock.monotonic() < this.#postEnds;
  }

  /** Puts the machine into its power-on self test for this many seconds. */
  enterPost(seconds: number): void {
    this.#postEnds = this.#settings.clock.monotonic() + seconds * 1000;
  }

  /** Runs `action` when the machine boots next. */
  atBoot(action: () => void): void {
    this.#atBoot.push(action);
  }

  eject(slot: string): void {
    this.media = { ...this.media, [slot]: EMPTY };
  }

  insert(slot: string, image: string): void {
    this.media = { ...this.media, [slot]: { image, inserted: true } };
  }

  forgetBiosSettings(): void {
    this.attributesWanted = FACTORY_SETTINGS;
  }

  get uuid(): string {
    return `33333333-3333-4333-8333-${333_333_333_333 + this.#settings.number}`;
  }

  get serialNumber(): string {
    return serialNumberOf(this.#settings.number);
  }

  get chassisSerialNumber(): string {
    return `CHASSIS${this.#settings.number + 1}`;
  }

  get sku(): string {
    return `SKU${this.#settings.number + 1}`;
  }

  /** The UUID of the BMC's Redfish service. */
  get bmcUuid(): string {
    return `55555555-5555-4555-8555-${555_555_555_555 + this.#settings.number}`;
  }

  /** The MAC address of network card 1 or 2; 0: of the BMC. */
  mac(card: number): string {
    return macOfCard(this.#settings.number, card);
  }

  /** Switches the machine off at once, as its operating system does after a shutdown. */
  switchOff(): void {
    if (this.power === 'Off') return;
    this.#cancel();
    this.#turnOff();
  }

  reset(type: string): void {
    if (!this.shape.resets.includes(type))
      throw new Refused(400, 'Base.1.8.ActionParameterNotSupported', `ResetType ${type} is not supported`, {
        args: [type],
      });
    this.resets.push(type);
    if (type === 'Nmi' || this.isStuck) return;
    const target = type === 'PushPowerButton' ? opposite(this.power) : poweredBy[type];
    if (target === undefined) return this.#restart();
    if (target !== this.power) return this.#change(target);
    if (this.shape.refusesRedundantResets)
      throw new Refused(409, 'IDRAC.2.8.PSU501', `Host is already powered ${this.power.toLowerCase()}`);
  }

  unplug(): void {
    this.#cancel();
  }

  #restart(): void {
    if (this.power !== 'On') throw new Refused(409, 'Base.1.8.ResourceInStandby', 'The machine is off');
    this.#turnOff();
    this.#change('On');
  }

  #change(target: 'On' | 'Off'): void {
    this.#cancel();
    const act = () => (target === 'On' ? this.#turnOn() : this.#turnOff());
    const { clock, powerSeconds } = this.#settings;
    if (powerSeconds === 0) return act();
    this.#cancel = clock.after(powerSeconds * 1000, act);
  }

  #reportPower(): void {
    const message = `The system was powered ${this.power.toLowerCase()}.`;
    this.report({ message, messageId: 'ResourceEvent.1.3.PowerStateChanged', severity: 'OK' });
  }

  #turnOff(): void {
    this.power = 'Off';
    this.#reportPower();
    this.#settings.poweredOff?.();
  }

  #turnOn(): void {
    this.power = 'On';
    this.#reportPower();
    this.enterPost(this.#settings.postSeconds);
    const stuck = Object.entries(this.attributesWanted).filter(([name]) =>
      this.attributesStuck.includes(name),
    );
    const taken = Object.entries(this.attributesWanted).filter(
      ([name]) => !this.attributesStuck.includes(name),
    );
    this.attributes = { ...this.attributes, ...Object.fromEntries(taken) };
    this.attributesWanted = Object.fromEntries(stuck);
    this.secureBoot = this.secureBootWanted ?? this.secureBoot;
    this.secureBootWanted = undefined;
    for (const action of this.#atBoot.splice(0)) action();
    const source = this.#bootSource();
    if (this.boot.BootSourceOverrideEnabled === 'Once')
      this.boot = { ...this.boot, BootSourceOverrideEnabled: 'Disabled', BootSourceOverrideTarget: 'None' };
    this.#settings.booted?.(source);
  }

  #bootSource(): BootSource {
    const { BootSourceOverrideEnabled: enabled, BootSourceOverrideTarget: target, HttpBootUri } = this.boot;
    if (enabled === 'Disabled') return { target: 'None', url: null };
    const disc = Object.entries(this.media).find(
      ([slot, { inserted }]) => inserted && this.shape.media[slot]?.includes('CD'),
    );
    if (target === 'UefiHttp') return { target, url: HttpBootUri };
    const isDisc = target === 'Cd' || target === 'UsbCd';
    return { target: isDisc ? 'Cd' : target, url: isDisc ? (disc?.[1].image ?? null) : null };
  }
}

const opposite = (power: string) => (power === 'On' ? 'Off' : 'On');
