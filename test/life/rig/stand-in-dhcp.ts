// A dnsmasq for DHCP and scripts for one boot, until the daemon gives addresses and writes scripts itself. The daemon
// serves the files over TFTP and HTTP.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Environment } from '../../fakes/daemon-process.ts';
import { BRIDGE, HOST, macOf, RANGE } from './network.ts';

const PORT = 8080;
const URL = `http://${HOST}:${PORT}`;

export interface Boot {
  readonly kernel: string;
  readonly ramdisk: string;
  readonly parameters: string;
  /** The first file of the firmware's PXE client, such as `snponly.efi`. */
  readonly loader: string;
}

const LOADERS: Readonly<Record<string, string>> = {
  'undionly.kpxe': '/usr/lib/ipxe/undionly.kpxe',
  'snponly.efi': '/usr/lib/ipxe/snponly.efi',
  'pxelinux.0': '/usr/lib/PXELINUX/pxelinux.0',
  'ldlinux.c32': '/usr/lib/syslinux/modules/bios/ldlinux.c32',
  'bootx64.efi': '/usr/lib/shim/shimx64.efi.signed',
  'grubx64.efi': '/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed',
};

/** The options of a daemon that serves what machine `number` boots; the scripts are written to `folder`. */
export function servingDaemon(boot: Boot, number: number, folder: string): Environment {
  mkdirSync(folder, { recursive: true });
  const scripts = Object.entries(scriptsFor(boot, macOf(number))).map(([name, text], index) => {
    const path = join(folder, `script-${index}`);
    writeFileSync(path, text);
    return [name, path];
  });
  const { kernel, ramdisk } = boot;
  const served = { ...LOADERS, ...Object.fromEntries(scripts), kernel, ramdisk };
  return {
    IRONIC_TFTP_SERVER__ENABLED: 'true',
    IRONIC_BOOT_HTTP__PORT: String(PORT),
    IRONIC_PXE__LOADER_FILE_PATHS: Object.entries<string | undefined>(served)
      .map((pair) => pair.join(':'))
      .join(','),
  };
}

function scriptsFor({ parameters }: Boot, mac: string): Readonly<Record<string, string>> {
  const pxelinux = `01-${mac.replaceAll(':', '-')}`;
  return {
    'boot.ipxe': `#!ipxe
kernel ${URL}/kernel ${parameters} BOOTIF=01-\${mac:hexhyp} initrd=ramdisk
initrd ${URL}/ramdisk
boot
`,
    'grub/grub.cfg': `linux /kernel ${parameters} BOOTIF=$net_default_mac
initrd /ramdisk
boot
`,
    [`pxelinux.cfg/${pxelinux}`]: `default boot
label boot
  kernel /kernel
  initrd /ramdisk
  append ${parameters} BOOTIF=${pxelinux}
`,
  };
}

export class StandInDhcp implements AsyncDisposable {
  readonly #dnsmasq: ChildProcess;

  private constructor(dnsmasq: ChildProcess) {
    this.#dnsmasq = dnsmasq;
  }

  static async start({ loader }: Boot, folder: string): Promise<StandInDhcp> {
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
