// DHCP, TFTP and HTTP servers for machines, until the daemon has its own: a dnsmasq, and files over HTTP.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import { loaders } from './stand-in-loaders.ts';
import { BRIDGE, HOST, macOf, RANGE } from './network.ts';

const PORT = 8080;
const URL = `http://${HOST}:${PORT}`;

export interface StandIn {
  readonly kernel: string;
  readonly ramdisk: string;
  readonly parameters: string;
  /** The first file of the firmware's PXE client, such as `snponly.efi`. */
  readonly loader: string;
  readonly machine: number;
  readonly folder: string;
}

export class StandInServers implements AsyncDisposable {
  readonly #http: Server;
  readonly #dnsmasq: ChildProcess;

  private constructor(http: Server, dnsmasq: ChildProcess) {
    [this.#http, this.#dnsmasq] = [http, dnsmasq];
  }

  static async start(request: StandIn): Promise<StandInServers> {
    const root = join(request.folder, 'served');
    fill(root, request);
    const http = createServer((asked, reply) => serve(root, asked.url ?? '/', asked.method ?? '', reply));
    await once(http.listen(PORT, HOST), 'listening');
    const dnsmasq = spawn('dnsmasq', words(root, request), { stdio: ['ignore', 'ignore', 'pipe'] });
    const log: string[] = [];
    for await (const line of createInterface({ input: dnsmasq.stderr })) {
      log.push(line);
      if (line.includes('sockets bound exclusively')) break;
    }
    dnsmasq.stderr.resume();
    if (dnsmasq.exitCode !== null) throw new Error(`dnsmasq ended: ${log.join('\n')}`);
    return new StandInServers(http, dnsmasq);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    const ended = once(this.#dnsmasq, 'exit');
    this.#dnsmasq.kill();
    await ended;
  }
}

function fill(root: string, { kernel, ramdisk, parameters, machine }: StandIn): void {
  for (const folder of ['grub', 'pxelinux.cfg']) mkdirSync(join(root, folder), { recursive: true });
  for (const [name, path] of Object.entries(loaders)) copyFileSync(path, join(root, name));
  copyFileSync(kernel, join(root, 'kernel'));
  copyFileSync(ramdisk, join(root, 'ramdisk'));
  const mac = `01-${macOf(machine).replaceAll(':', '-')}`;
  const scripts = {
    'boot.ipxe': `#!ipxe
kernel ${URL}/kernel ${parameters} BOOTIF=01-\${mac:hexhyp} initrd=ramdisk
initrd ${URL}/ramdisk
boot
`,
    'grub/grub.cfg': `linux /kernel ${parameters} BOOTIF=$net_default_mac\ninitrd /ramdisk\nboot\n`,
    'pxelinux.cfg/default': `default boot\nlabel boot\n  kernel /kernel\n  initrd /ramdisk\n  append ${parameters} BOOTIF=${mac}\n`,
  };
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(root, name), text);
}

const words = (root: string, { loader }: StandIn): readonly string[] => [
  '--no-daemon',
  '--conf-file=/dev/null',
  '--port=0',
  '--no-ping',
  '--user=root',
  '--bind-interfaces',
  `--interface=${BRIDGE}`,
  `--dhcp-range=${RANGE.first},${RANGE.last},1h`,
  `--dhcp-leasefile=${join(root, 'leases')}`,
  '--enable-tftp',
  `--tftp-root=${root}`,
  '--dhcp-match=set:ipxe,175',
  '--dhcp-match=set:http,option:client-arch,16',
  '--dhcp-option=tag:http,60,HTTPClient',
  `--dhcp-boot=tag:http,tag:!ipxe,${URL}/ipxe.efi`,
  // iPXE waits 3 s for a ProxyDHCP offer unless it is told that there is none
  '--dhcp-option=tag:ipxe,encap:175,176,1b',
  // QEMU's BIOS has no PXE client but iPXE
  ...(loader === 'pxelinux.0'
    ? ['--dhcp-boot=tag:!http,pxelinux.0']
    : [`--dhcp-boot=tag:ipxe,${URL}/boot.ipxe`, `--dhcp-boot=tag:!ipxe,tag:!http,${loader}`]),
];

function serve(root: string, url: string, method: string, reply: ServerResponse): void {
  const file = join(root, normalize(`/${decodeURIComponent(url.split('?')[0] ?? '')}`));
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return void reply.writeHead(404).end();
  reply.writeHead(200, { 'content-length': size });
  if (method === 'HEAD') reply.end();
  else createReadStream(file).pipe(reply);
}
