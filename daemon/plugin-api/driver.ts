// A node's driver: one interface of each type.
import type { InterfaceType } from '../model/machine/interface-types.ts';
import type { BiosInterface } from './interfaces/bios.ts';
import type { BootInterface } from './interfaces/boot.ts';
import type { ConsoleInterface } from './interfaces/console.ts';
import type { DeployInterface } from './interfaces/deploy.ts';
import type { DriverInterface } from './interfaces/driver-interface.ts';
import type { FirmwareInterface } from './interfaces/firmware.ts';
import type { InspectInterface } from './interfaces/inspect.ts';
import type { ManagementInterface } from './interfaces/management.ts';
import type { NetworkInterface } from './interfaces/network.ts';
import type { PowerInterface } from './interfaces/power.ts';
import type { RaidInterface } from './interfaces/raid.ts';
import type { RescueInterface } from './interfaces/rescue.ts';
import type { StorageInterface } from './interfaces/storage.ts';
import type { VendorInterface } from './interfaces/vendor.ts';

/** The contract of each interface type. A type without operations of its own has only the common members. */
export interface DriverInterfaces extends Record<InterfaceType, DriverInterface> {
  readonly bios: BiosInterface;
  readonly boot: BootInterface;
  readonly console: ConsoleInterface;
  readonly deploy: DeployInterface;
  readonly firmware: FirmwareInterface;
  readonly inspect: InspectInterface;
  readonly management: ManagementInterface;
  readonly network: NetworkInterface;
  readonly power: PowerInterface;
  readonly raid: RaidInterface;
  readonly rescue: RescueInterface;
  readonly storage: StorageInterface;
  readonly vendor: VendorInterface;
}

/**
 * A node's composed driver: one interface per type. Reading an interface that the node uses but the configuration does
 * not enable throws a fault that names it.
 */
export type Driver = Readonly<DriverInterfaces>;

// not in task.ts: the functions of interfaces get a task, so the two files would import each other
declare module './task.ts' {
  interface Task {
    readonly driver: Driver;
  }
}

/**
 * A driver whose interfaces are fixed by its author and cannot be chosen per node: each is an object, or the name of an
 * interface of any plugin. Using an interface type that is left out throws UnsupportedDriverExtension.
 */
export type ClassicDriver = { readonly [T in InterfaceType]?: Driver[T] | string };

/** An interface made from another one of the same type and of any plugin. `extends` names that base; `make` receives it. */
export interface Extension<I extends DriverInterface = DriverInterface> {
  readonly extends: string;
  readonly make: (base: I) => I;
}

/**
 * Extends an interface of any plugin: `extendInterface('deploy', 'direct', (direct) => ({ ...direct, prepare }))`. The
 * members of the base are called with the task that the extension was given.
 */
export const extendInterface = <T extends InterfaceType>(
  _type: T,
  base: string,
  make: (base: Driver[T]) => Driver[T],
): Extension<Driver[T]> => ({ extends: base, make });

export const defineClassicDriver = (driver: ClassicDriver): ClassicDriver => driver;
