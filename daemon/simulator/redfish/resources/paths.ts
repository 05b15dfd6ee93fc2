// The paths of the simulated BMC's resources.
import type { MachineShape } from '../shape.ts';

export const ROOT = '/redfish/v1';
export const SESSIONS = `${ROOT}/SessionService/Sessions`;
export const ACCOUNTS = `${ROOT}/AccountService/Accounts`;
export const SUBSCRIPTIONS = `${ROOT}/EventService/Subscriptions`;
/** The path to which firmware is uploaded. */
export const PUSH = `${ROOT}/UpdateService/update`;
export const TASKS = `${ROOT}/TaskService/Tasks`;

export interface Paths {
  readonly system: string;
  readonly manager: string;
  readonly chassis: string;
  readonly media: string;
  readonly bios: string | null;
  readonly biosSettings: string;
  /** The path of the resource that takes `Boot`. */
  readonly boot: string;
  readonly storage: string;
  readonly dell: string;
}

export function pathsOf(shape: MachineShape): Paths {
  const system = `${ROOT}/Systems/${shape.system}`;
  const manager = `${ROOT}/Managers/${shape.manager}`;
  const bios = shape.bios === null ? null : `${system}/${shape.bios}`;
  return {
    system,
    manager,
    chassis: `${ROOT}/Chassis/${shape.chassis}`,
    media: `${shape.mediaAt === 'system' ? system : manager}/VirtualMedia`,
    bios,
    biosSettings: `${bios ?? system}/${shape.biosSettings}`,
    boot: shape.bootSettings === null ? system : `${system}/${shape.bootSettings}`,
    storage: `${system}/Storage/S1`,
    dell: `${manager}/Oem/Dell`,
  };
}
