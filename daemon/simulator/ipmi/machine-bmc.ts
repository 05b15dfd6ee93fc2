// The BMC of a machine: ipmi_sim asks this process to read and change power and boot device.
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, isIPv6, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runIpmiSim } from './ipmi-sim.ts';

export const IPMI_CREDENTIALS = { username: 'admin', password: 'password' } as const;

/** What a BMC reads and changes of its machine. */
export interface SimulatedChassis {
  power(): 'on' | 'off';
  bootDevice(): string;
  setBootDevice(device: string): void;
  switchOn(): void | Promise<void>;
  switchOff(): Promise<void>;
}

export interface BmcPlace {
  readonly address: string;
  readonly port: number;
  /** The TCP port of 127.0.0.1 where the machine itself reaches its BMC. */
  readonly systemInterfacePort?: number;
  /** The UUID of the machine, if its BMC knows it. */
  readonly guid?: string;
  /** Whether the BMC has no user yet; otherwise it has that of IPMI_CREDENTIALS. */
  readonly isBlank?: boolean;
}

/** The program that ipmi_sim runs: it passes its arguments (`chassis` or `network`, a verb, names and values) to this process. */
const program = (port: number) => `#!/bin/bash
exec 3<> /dev/tcp/127.0.0.1/${port} && echo "$@" >&3 && cat <&3
`;

/** Resolves with a function that stops the BMC. */
export async function startBmc(place: BmcPlace, chassis: SimulatedChassis): Promise<() => Promise<void>> {
  const { address } = place;
  const server = await serveChassis(chassis, address);
  const state = await mkdtemp(join(tmpdir(), 'bmc-'));
  const file = join(state, 'program');
  await writeFile(file, program((server.address() as AddressInfo).port), { mode: 0o755 });
  const commands = { chassis: `${file} chassis`, network: `${file} network` };
  try {
    const credentials = place.isBlank === true ? {} : IPMI_CREDENTIALS;
    const stop = await runIpmiSim(state, { ...credentials, ...place, ...commands });
    return async () => {
      await stop();
      server.close();
    };
  } catch (error) {
    server.close();
    throw error;
  }
}

/**
 * Starts a server that answers the program of the BMC at `address`. When a function of `chassis` throws, the program fails too, and
 * the BMC reports that to its client.
 */
export async function serveChassis(chassis: SimulatedChassis, address: string): Promise<Server> {
  const server = createServer((socket) => {
    const lines = createInterface({ input: socket });
    // the program may be killed together with its BMC, and readline emits the errors of the socket too
    for (const source of [socket, lines]) source.on('error', () => socket.destroy());
    lines.once('line', (line) => {
      answer(line, chassis, address).then(
        (text) => socket.end(text),
        (error: unknown) => {
          process.emitWarning(`the machine with the BMC ${address} failed to do "${line}": ${String(error)}`);
          socket.resetAndDestroy();
        },
      );
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

async function answer(line: string, chassis: SimulatedChassis, address: string): Promise<string> {
  const [subject, verb, ...words] = line.split(' ');
  if (verb === 'get')
    return words.map((name) => `${name}:${valueOf(subject, name, chassis, address)}\n`).join('');
  if (subject === 'chassis' && verb === 'set') await put(chassis, words);
  return '';
}

function valueOf(
  subject: string | undefined,
  name: string,
  chassis: SimulatedChassis,
  address: string,
): string {
  // these settings are those of IPv4
  if (subject === 'network') return NETWORK[name] ?? (isIPv6(address) ? '0.0.0.0' : address);
  if (name === 'power') return chassis.power() === 'on' ? '1' : '0';
  return name === 'boot' ? chassis.bootDevice() : '0';
}

const NETWORK: Readonly<Record<string, string>> = {
  ip_addr_src: 'static',
  subnet_mask: '255.255.255.0',
  mac_addr: '52:54:00:77:bb:01',
  default_gw_mac_addr: '00:00:00:00:00:00',
  backup_gw_mac_addr: '00:00:00:00:00:00',
  backup_gw_ip_addr: '0.0.0.0',
};

/** `words`: names and values, alternating. */
async function put(chassis: SimulatedChassis, words: readonly string[]): Promise<void> {
  for (let index = 0; index + 1 < words.length; index += 2) {
    const [name = '', value = ''] = words.slice(index, index + 2);
    if (name === 'boot') chassis.setBootDevice(value);
    else await changePower(chassis, `${name} ${value}`);
  }
}

async function changePower(chassis: SimulatedChassis, change: string): Promise<void> {
  const wasOn = chassis.power() === 'on';
  const isReset = change === 'reset 1' && wasOn;
  if (isReset || change === 'power 0' || change === 'shutdown 1') await chassis.switchOff();
  if (isReset || change === 'power 1') await chassis.switchOn();
}
