// OpenStack's Ironic as a site without a cloud runs it: dnsmasq for DHCP and TFTP, nginx for kernels, ramdisks and scripts.
// Unless `isQuickest` is set, Ironic's intervals and time limits have their defaults.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IronicProcess, type Options } from '../../differential/ironic-process.ts';
import type { Answer } from '../../fakes/daemon/daemon-process.ts';
import type { Image } from '../site.ts';
import { BRIDGE, HOST, RANGE } from './network.ts';

const API_PORT = 6385;
const HTTP = `http://${HOST}:8088`;
const PARAMETERS = 'nofb vga=normal console=ttyS0';

export class IronicSite implements AsyncDisposable {
  /** What `driver_info` of a node needs to boot the ramdisk. */
  readonly ramdisk: Readonly<Record<string, string>>;
  readonly #ironic: IronicProcess;
  readonly #servers: readonly ChildProcess[];

  private constructor(ironic: IronicProcess, servers: readonly ChildProcess[]) {
    const [kernel, ramdisk] = [`${HTTP}/agent.kernel`, `${HTTP}/agent.ramdisk`];
    this.ramdisk = {
      deploy_kernel: kernel,
      deploy_ramdisk: ramdisk,
      rescue_kernel: kernel,
      rescue_ramdisk: ramdisk,
    };
    [this.#ironic, this.#servers] = [ironic, servers];
  }

  /**
   * The files of nginx and dnsmasq are in `folder`. `isQuickest` sets fast track and the shortest pause between IPMI commands;
   * iPXE then waits neither for an IPv6 router nor for a ProxyDHCP offer.
   */
  static async start(folder: string, { kernel, ramdisk }: Image, isQuickest: boolean): Promise<IronicSite> {
    const [http, tftp] = [join(folder, 'http'), join(folder, 'tftp')];
    for (const each of [join(http, 'pxelinux.cfg'), tftp]) mkdirSync(each, { recursive: true });
    copyFileSync(kernel, join(http, 'agent.kernel'));
    copyFileSync(ramdisk, join(http, 'agent.ramdisk'));
    writeFileSync(join(http, INSPECTION_SCRIPT), inspectionScript);
    for (const loader of ['undionly.kpxe', 'snponly.efi'])
      copyFileSync(`/usr/lib/ipxe/${loader}`, join(tftp, loader));
    if (isQuickest) execFileSync('ip', ['address', 'replace', 'fd00:77::1/64', 'dev', BRIDGE, 'nodad']);
    const servers = [startNginx(folder, http), startDnsmasq(folder, tftp, isQuickest)];
    const options = (directory: string) => optionsFor(directory, { http, tftp, isQuickest });
    return new IronicSite(
      await IronicProcess.start('newest', { options, host: HOST, port: API_PORT }),
      servers,
    );
  }

  async request<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    const answer = await fetch(`${this.#ironic.url}${path}`, {
      method,
      headers: { 'x-openstack-ironic-api-version': 'latest', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as Body };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ironic[Symbol.asyncDispose]();
    for (const server of this.#servers) {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    }
  }
}

/** The script that Ironic's boot.ipxe falls back to when Ironic has no script for the machine. */
const INSPECTION_SCRIPT = 'inspect.ipxe';
const inspectionScript = `#!ipxe
kernel ${HTTP}/agent.kernel ipa-inspection-callback-url=http://${HOST}:${API_PORT}/v1/continue_inspection ipa-api-url=http://${HOST}:${API_PORT} BOOTIF=\${mac} ${PARAMETERS} initrd=agent.ramdisk
initrd ${HTTP}/agent.ramdisk
boot
`;

function startNginx(folder: string, root: string): ChildProcess {
  const file = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(
    file,
    `daemon off; user root; worker_processes 1; pid ${join(folder, 'nginx.pid')};
events { worker_connections 256; }
http { access_log off; sendfile on; tcp_nopush on; ${temporary.join(' ')} server { listen ${HTTP.slice(7)}; root ${root}; } }
`,
  );
  return spawn('nginx', ['-c', file, '-e', join(folder, 'nginx.log')], { stdio: 'inherit' });
}

// iPXE waits for an IPv6 router, and for a ProxyDHCP offer unless option 175.176 says that there is none
const NO_WAITS_OF_IPXE = `dhcp-option=tag:ipxe,encap:175,176,1b
enable-ra
dhcp-range=fd00:77::,ra-only
`;

function startDnsmasq(folder: string, root: string, isQuickest: boolean): ChildProcess {
  const file = join(folder, 'dnsmasq.conf');
  writeFileSync(
    file,
    `port=0
interface=${BRIDGE}
bind-interfaces
dhcp-range=${RANGE.first},${RANGE.last},255.255.255.0,10m
dhcp-leasefile=${join(folder, 'leases')}
dhcp-match=set:ipxe,175
dhcp-match=set:efi,option:client-arch,7
dhcp-match=set:efi,option:client-arch,9
dhcp-boot=tag:!ipxe,tag:!efi,undionly.kpxe
dhcp-boot=tag:!ipxe,tag:efi,snponly.efi
dhcp-boot=tag:ipxe,${HTTP}/boot.ipxe
enable-tftp
tftp-root=${root}
no-ping
log-facility=${join(folder, 'dnsmasq.log')}
${isQuickest ? NO_WAITS_OF_IPXE : ''}`,
  );
  return spawn('dnsmasq', ['--keep-in-foreground', `--conf-file=${file}`, '--user=root', '--pid-file='], {
    stdio: 'inherit',
  });
}

interface Course {
  readonly http: string;
  readonly tftp: string;
  readonly isQuickest: boolean;
}

function optionsFor(directory: string, { http, tftp, isQuickest }: Course): Options {
  const api = `http://${HOST}:${API_PORT}`;
  return {
    DEFAULT: {
      auth_strategy: 'noauth',
      my_ip: HOST,
      enabled_hardware_types: 'ipmi',
      enabled_boot_interfaces: 'ipxe',
      enabled_deploy_interfaces: 'direct',
      enabled_inspect_interfaces: 'agent',
      enabled_management_interfaces: 'ipmitool',
      enabled_power_interfaces: 'ipmitool',
      enabled_network_interfaces: 'noop',
      enabled_rescue_interfaces: 'agent',
      enabled_console_interfaces: 'no-console',
      enabled_raid_interfaces: 'no-raid',
      enabled_bios_interfaces: 'no-bios',
      enabled_firmware_interfaces: 'no-firmware',
      enabled_vendor_interfaces: 'no-vendor',
      enabled_storage_interfaces: 'noop',
    },
    service_catalog: { auth_type: 'none', endpoint_override: api },
    dhcp: { dhcp_provider: 'none' },
    conductor: { automated_clean: 'true' },
    deploy: {
      http_url: HTTP,
      http_root: http,
      erase_devices_priority: 0,
      erase_devices_metadata_priority: 10,
      default_boot_mode: 'bios',
      fast_track: String(isQuickest),
    },
    // 0 makes Ironic divide by zero
    ...(isQuickest && { ipmi: { min_command_interval: 1 } }),
    agent: {
      image_download_source: 'http',
      certificates_path: join(directory, 'certificates'),
      deploy_logs_local_path: join(directory, 'logs'),
    },
    inspector: {
      require_managed_boot: 'false',
      callback_endpoint_override: api,
      add_ports: 'all',
      power_off: String(!isQuickest),
    },
    inventory: { data_backend: 'database' },
    pxe: {
      tftp_server: HOST,
      tftp_root: tftp,
      tftp_master_path: join(directory, 'master/tftp'),
      images_path: join(directory, 'master/images'),
      instance_master_path: join(directory, 'master/instance'),
      kernel_append_params: PARAMETERS,
      ipxe_fallback_script: INSPECTION_SCRIPT,
    },
  };
}
