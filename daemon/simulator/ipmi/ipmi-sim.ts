// "#plugin-api/fake-ipmi": a BMC on loopback, for tests: ipmi_sim of Debian's openipmi with a shell script as its chassis.
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { installedProgram } from '../../lib/run-bounded.ts';
import { freeUdpPort } from '../free-port.ts';
import { ipmiSimFru, type SimulatedLabels } from './fru.ts';
import { ipmiSimSensors } from './sensors.ts';

export type ChassisBehaviour = 'normal' | 'hang' | 'fail' | 'stuck' | 'deaf' | 'late';

export interface IpmiSimOptions {
  /** The UDP port; if absent, a free one. */
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  /** Adds a temperature of 38 degrees, a fan at 500 rpm that is too slow, and a power supply that is present. */
  readonly sensors?: true;
  /** The labels of the machine; not set: it has no FRU. */
  readonly labels?: SimulatedLabels;
  /** The TCP port of 127.0.0.1 that is the machine's serial line, for Serial over LAN. */
  readonly serialPort?: number;
  /** The first 16 octets of the Kg key in hexadecimal; the other four are zero. */
  readonly kgKey?: string;
}

export interface IpmiSim {
  readonly address: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  power(): 'on' | 'off';
  setPower(state: 'on' | 'off'): void;
  bootDevice(): 'none' | 'pxe' | 'disk' | 'cdrom' | 'bios';
  /**
   * Sets how the chassis behaves from its next call on, and ends a call that hangs. The script `chassis` beside this file explains
   * the behaviours.
   */
  behave(behaviour: ChassisBehaviour): void;
  /** Resolves when a call of the chassis hangs. */
  hanging(): Promise<void>;
  /** The calls that ask the chassis for a change, such as `set power 1` and `set boot pxe`, in order. */
  changes(): readonly string[];
  stop(): Promise<void>;
}

const ADDRESS = '127.0.0.1';
const PROGRAMS = { ipmi_sim: 'openipmi', ipmitool: 'ipmitool' };

/** Starts a BMC of a machine that is off; resolves when the BMC answers. A second user, `viewer`, has the same password. */
export async function startIpmiSim(options: IpmiSimOptions = {}): Promise<IpmiSim> {
  const { username = 'admin', password = 'password', kgKey, serialPort } = options;
  const port = options.port ?? (await freeUdpPort());
  const state = await mkdtemp(join(tmpdir(), 'ipmi-sim-'));
  const chassis = join(state, 'chassis');
  await copyFile(join(import.meta.dirname, 'chassis'), chassis);
  // written atomically, because the chassis may be reading the file
  const put = (name: string, value: string) => {
    writeFileSync(join(state, `${name}.new`), `${value}\n`);
    renameSync(join(state, `${name}.new`), join(state, name));
  };
  const get = (name: string) => readFileSync(join(state, name), 'utf8').trim();
  for (const [name, value] of Object.entries({
    power: '0',
    boot: 'none',
    behaviour: 'normal 0',
    calls: '',
  })) {
    put(name, value);
  }
  let serial = 0;
  const fru = options.labels === undefined ? '' : ipmiSimFru(options.labels);
  const sensors = options.sensors === true ? SENSORS + fru : fru;
  const stop = await runIpmiSim(state, {
    address: ADDRESS,
    port,
    username,
    password,
    kgKey,
    chassis,
    sensors,
    serialPort,
  });
  return {
    address: ADDRESS,
    port,
    username,
    password,
    power: () => (get('power') === '1' ? 'on' : 'off'),
    setPower: (power) => put('power', power === 'on' ? '1' : '0'),
    bootDevice: () => BOOT_DEVICES[get('boot') as keyof typeof BOOT_DEVICES],
    behave(behaviour) {
      serial += 1;
      put('behaviour', `${behaviour} ${serial}`);
    },
    async hanging() {
      while (!existsSync(join(state, `hanging-${serial}`))) await wait(10);
    },
    changes: () =>
      get('calls')
        .split('\n')
        .filter((call) => call.startsWith('set ')),
    stop,
  };
}

export interface BmcSettings {
  readonly address: string;
  readonly port: number;
  /** Without a name, the BMC has no users. */
  readonly username?: string;
  readonly password?: string;
  readonly kgKey?: string | undefined;
  /** The UUID of the machine, as its BMC says it. */
  readonly guid?: string | undefined;
  /** The command that ipmi_sim runs to read and change power and boot device. */
  readonly chassis: string;
  readonly serialPort?: number | undefined;
  /** Commands of ipmi_sim that add sensors. */
  readonly sensors?: string;
  /** The command that ipmi_sim runs to read the BMC's own network settings. */
  readonly network?: string;
  /** The TCP port of 127.0.0.1 where the machine's own interface to its BMC connects, as QEMU's ipmi-bmc-extern does. */
  readonly systemInterfacePort?: number;
}

/**
 * Runs a BMC in the folder `state`. When the BMC answers, resolves with a function that ends the BMC and deletes the folder. If
 * the BMC cannot be started, deletes the folder and rejects.
 */
export async function runIpmiSim(state: string, settings: BmcSettings): Promise<() => Promise<void>> {
  try {
    await requirePrograms();
    await mkdir(join(state, 'persist'));
    await writeFile(join(state, 'lan.conf'), lanConfiguration(settings));
    await writeFile(join(state, 'commands'), COMMANDS + (settings.sensors ?? ''));
    return await launched(state, settings);
  } catch (error) {
    await rm(state, { recursive: true, force: true });
    throw error;
  }
}

async function launched(state: string, settings: BmcSettings): Promise<() => Promise<void>> {
  const program = launch(state);
  try {
    await answering(program, settings);
  } catch (error) {
    await end(program, state);
    throw error;
  }
  return () => end(program, state);
}

/** The boot devices by the names with which ipmi_sim calls the chassis. */
const BOOT_DEVICES = { none: 'none', pxe: 'pxe', default: 'disk', cdrom: 'cdrom', bios: 'bios' } as const;

const COMMANDS = `mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
sel_enable 0x20 64 0x0a
mc_enable 0x20
`;

const SENSORS = ipmiSimSensors([
  { number: 1, name: 'CPU Temp', kind: 'temperature', value: 38 },
  { number: 2, name: 'Fan 1', kind: 'fan', value: 5 },
  { number: 3, name: 'PSU 1', kind: 'power supply', value: 1 },
]);

const GUID = '6b3d3f2e-6f0b-4f5c-9a64-0d6f1c1f7a01';

function lanConfiguration(settings: BmcSettings): string {
  const { address, port, username, password, kgKey, guid = GUID, chassis, network } = settings;
  const { systemInterfacePort, serialPort } = settings;
  const levels = ['callback', 'user', 'operator', 'admin'];
  return `name "simulated"
set_working_mc 0x20
  startlan 1
    addr ${address} ${port}
    priv_limit admin
${levels.map((level) => `    allowed_auths_${level} none md2 md5 straight\n`).join('')}\
    guid ${guid.replaceAll('-', '')}
${kgKey === undefined ? '' : `    bmc_key ${kgKey}\n`}\
${network === undefined ? '' : `    lan_config_program "${network}"\n`}\
  endlan
  chassis_control "${chassis}"
${systemInterfacePort === undefined ? '' : `  serial 15 127.0.0.1 ${systemInterfacePort} codec VM\n`}\
${serialPort === undefined ? '' : `  sol "tcp:127.0.0.1:${serialPort}" 115200\n`}\
${username === undefined ? '' : usersLines(username, password ?? '')}`;
}

const usersLines = (username: string, password: string) =>
  `  user 2 true "${username}" "${password}" admin 10 none md2 md5 straight
  user 3 true "viewer" "${password}" user 10 none md2 md5 straight
`;

/** Returns a clause that says which of ipmi_sim and ipmitool is missing and how to install it; false when this host has both. */
export async function missingPrograms(): Promise<string | false> {
  for (const [program, debianPackage] of Object.entries(PROGRAMS))
    if ((await installedProgram([program])) === undefined)
      return `${program} is not installed; install the Debian package ${debianPackage}: apt install ${debianPackage}`;
  return false;
}

async function requirePrograms(): Promise<void> {
  const missing = await missingPrograms();
  if (missing !== false) throw new Error(missing);
}

interface Program {
  readonly child: ChildProcess;
  readonly kill: () => void;
}

function launch(state: string): Program {
  const files = ['-c', join(state, 'lan.conf'), '-f', join(state, 'commands'), '-s', join(state, 'persist')];
  const child = spawn('ipmi_sim', [...files, '-n'], { stdio: 'ignore' });
  // a test that fails before it stops its BMC must still end
  child.unref();
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  return { child, kill };
}

/** Sends RMCP presence pings until a pong arrives. */
async function answering({ child }: Program, { address, port }: BmcSettings): Promise<void> {
  const ping = Buffer.from('0600ff06000011be80000000', 'hex');
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  const answered = once(socket, 'message').then(() => true);
  try {
    while (!(await Promise.race([answered, wait(20, false)]))) {
      if (hasEnded(child)) {
        const how = child.exitCode === null ? `by ${child.signalCode}` : `with status ${child.exitCode}`;
        throw new Error(`ipmi_sim on port ${port} ended ${how} before it answered`);
      }
      socket.send(ping, port, address);
    }
  } finally {
    socket.close();
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

async function end({ child, kill }: Program, state: string): Promise<void> {
  process.off('exit', kill);
  if (!hasEnded(child)) {
    child.ref();
    kill();
    await once(child, 'exit');
  }
  // deleting the chassis's state ends a hanging call
  await rm(state, { recursive: true, force: true });
}
