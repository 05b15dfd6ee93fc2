// Options that make the daemon publish what unknown machines boot, and a dnsmasq for loaders that the daemon gives none
// of them, until boot interfaces do both. All else is the daemon's: DHCP, TFTP, HTTP, loaders and scripts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { publishUnknownBoot } from '../../../daemon/boot/start-files.ts';
import type { ServedNames } from '../../../daemon/boot/served-files.ts';
import type { Environment } from '../../fakes/daemon-process.ts';
import { BRIDGE, HOST, RANGE } from './network.ts';

const PORT = 8080;
const URL = `http://${HOST}:${PORT}`;

export interface Boot {
  readonly kernel: string;
  readonly ramdisk: string;
  readonly parameters: string;
  /** The first file where the daemon does not choose it; a dnsmasq then gives the addresses. */
  readonly loader?: string;
  /** False: nothing is there to boot. */
  readonly hasScripts?: boolean;
}

/** The options of a daemon that serves what unknown machines boot; scripts are written to `folder`. */
export function servingDaemon(
  { kernel, ramdisk, parameters, hasScripts = true }: Boot,
  folder: string,
): Environment {
  mkdirSync(folder, { recursive: true });
  const boot = {
    kind: 'kernel',
    protocol: 'ipxe',
    title: 'boot',
    kernel,
    ramdisk,
    commandLine: parameters,
  } as const;
  const pairs: string[] = [];
  const publish = (_owner: string, files: ServedNames) => {
    for (const [name, served] of Object.entries(files)) {
      const path = served.kind === 'file' ? served.path : join(folder, name.replaceAll('/', '-'));
      if (served.kind === 'bytes') writeFileSync(path, served.bytes);
      pairs.push(`${name}:${path}`);
    }
  };
  if (hasScripts)
    publishUnknownBoot({ publish, withdraw: () => undefined, find: () => undefined }, boot, URL);
  return {
    IRONIC_TFTP_SERVER__ENABLED: 'true',
    IRONIC_BOOT_HTTP__PORT: String(PORT),
    IRONIC_PXE__LOADER_FILE_PATHS: pairs.join(','),
  };
}

export class StandInDhcp implements AsyncDisposable {
  readonly #dnsmasq: ChildProcess;

  private constructor(dnsmasq: ChildProcess) {
    this.#dnsmasq = dnsmasq;
  }

  static async start(loader: string, folder: string): Promise<StandInDhcp> {
    const words = dnsmasqWords(loader, folder);
    const dnsmasq = spawn('dnsmasq', words, { stdio: ['ignore', 'ignore', 'pipe'] });
    const log: string[] = [];
    for await (const line of createInterface({ input: dnsmasq.stderr })) {
      log.push(line);
      if (!line.includes('sockets bound exclusively')) continue;
      dnsmasq.stderr.resume();
      return new StandInDhcp(dnsmasq);
    }
    throw new Error(`dnsmasq ended: ${log.join('\n')}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#dnsmasq, 'exit');
    this.#dnsmasq.kill();
    await ended;
  }
}

const dnsmasqWords = (loader: string, folder: string): readonly string[] => [
  '--no-daemon',
  '--conf-file=/dev/null',
  '--port=0',
  '--no-ping',
  '--user=root',
  '--bind-interfaces',
  `--interface=${BRIDGE}`,
  `--dhcp-range=${RANGE.first},${RANGE.last},1h`,
  `--dhcp-leasefile=${join(folder, 'leases')}`,
  '--dhcp-match=set:ipxe,175',
  '--dhcp-match=set:http,option:client-arch,16',
  '--dhcp-option=tag:http,60,HTTPClient',
  `--dhcp-boot=tag:http,tag:!ipxe,${URL}/${loader}`,
  // iPXE waits 3 s for a ProxyDHCP offer unless it is told that there is none
  '--dhcp-option=tag:ipxe,encap:175,176,1b',
  // QEMU's BIOS has no PXE client but iPXE
  ...(loader === 'pxelinux.0'
    ? [`--dhcp-boot=tag:!http,pxelinux.0,,${HOST}`]
    : [`--dhcp-boot=tag:ipxe,${URL}/boot.ipxe`, `--dhcp-boot=tag:!ipxe,tag:!http,${loader},,${HOST}`]),
];
