// Reads the checklist of a new site: what is done, what is open, and what could not be checked.
import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { backupsIn } from '../../../db/copies/back-up.ts';
import { parsePasswordFile } from '../../../http/login/password-file.ts';
import { canonicalIp, isLoopback } from '../../../lib/network/ip.ts';
import type { Examination } from '../../../model/doctor/doctor-finding.ts';
import { reasonOf } from '../../../model/faults.ts';
import { durationText, plural } from '../../kit/markup.ts';
import type { ReadServices } from '../services.ts';

export interface SetupItem {
  readonly title: string;
  /** `unknown`: it could not be checked here, and `why` says so. */
  readonly state: 'done' | 'open' | 'unknown';
  readonly why: string;
  /** Whether a site can do without it. */
  readonly isOptional?: true;
  /** A command, or a line for the configuration file. */
  readonly command?: string;
  /** Where it can be done on this page. */
  readonly link?: { readonly href: string; readonly label: string };
}

/** The items that a site needs and that are not done. */
export const openIn = (items: readonly SetupItem[]): readonly SetupItem[] =>
  items.filter(({ state, isOptional }) => state === 'open' && isOptional !== true);

type Finding = Omit<SetupItem, 'title'>;

const OLDEST_RAMDISK_DAYS = 90;
const DAY_SECONDS = 86_400;
const SOME = { limit: 1000, sortKey: 'id', descending: false } as const;

/** `examination`: the last run of the doctor. */
export function readSetup(
  services: ReadServices,
  examination: Examination | undefined,
): readonly SetupItem[] {
  return [
    { title: 'A user with a password', ...users(services) },
    { title: 'An encrypted way to this page', ...encryption(services) },
    { title: 'The network that machines boot from', ...network(services) },
    { title: 'The servers of boot files', ...bootServers(services) },
    { title: 'The ramdisk that works on machines', ...ramdisk(services, examination) },
    { title: 'A system image', ...image(services) },
    { title: 'A machine', ...machine(services) },
    { title: 'New machines found by themselves', ...discovery(services) },
    { title: 'A backup', ...backup(services) },
    { title: 'A look at the host by the doctor', ...doctor(examination, services) },
  ];
}

function users({ config }: ReadServices): Finding {
  const { auth_strategy: strategy, http_basic_auth_user_file: file } = config.DEFAULT;
  const command = `htpasswd -B -c ${file} admin`;
  if (strategy === 'noauth')
    return {
      state: 'open',
      why: 'Everybody who reaches this page is an admin. Make a user, then set [DEFAULT] auth_strategy = http_basic.',
      command,
    };
  try {
    const { size } = parsePasswordFile(file, readFileSync(file, 'utf8'));
    return { state: 'done', why: `${plural(size, 'user')} in ${file}` };
  } catch (error) {
    return { state: 'open', why: reasonOf(error), command };
  }
}

function encryption({ config }: ReadServices): Finding {
  const { enable_ssl_api: hasTls, unix_socket: socket, host_ip: host } = config.api;
  const canonical = canonicalIp(host);
  if (hasTls) return { state: 'done', why: 'The API has a certificate; Health says how long it is valid.' };
  if (socket !== null) return { state: 'done', why: `The API is reached through the socket ${socket} only.` };
  if (canonical !== undefined && isLoopback(canonical))
    return { state: 'done', why: `The API is reached from this host only (${host}), or by a proxy on it.` };
  return {
    state: 'open',
    why: `Passwords cross the network in the clear at ${host}. A certificate of its own, or a proxy with TLS, ends that.`,
    command: '[api] enable_ssl_api = true',
  };
}

const NETWORK = { href: '/ui/network', label: 'Network' } as const;

function network({ config, links }: ReadServices): Finding {
  const { subnet, mode } = config.dhcp_server;
  if (subnet.length === 0)
    return {
      state: 'unknown',
      why: 'This daemon gives no addresses. Whether another server does, and tells machines what to boot, is not checked. Machines with virtual media need neither.',
      command: 'sudo ironic-edge setup',
    };
  const missing = [...links.missing].find(([what]) => what.startsWith('DHCP'));
  if (missing !== undefined) return { state: 'open', why: `${missing[0]}: ${missing[1]}`, link: NETWORK };
  const what = mode === 'proxy' ? 'says what to boot' : 'gives addresses';
  return { state: 'done', why: `This daemon ${what} in ${plural(subnet.length, 'subnet')}.`, link: NETWORK };
}

function bootServers({ config, links }: ReadServices): Finding {
  const { tftp_server: tftp, boot_http: http } = config;
  if (!tftp.enabled && http.port === null)
    return {
      state: 'open',
      why: 'Neither TFTP nor boot HTTP is on here. Unless another server has the files, no machine boots from the network.',
      command: 'sudo ironic-edge setup',
    };
  const missing = [...links.missing].find(([what]) => /^(?:TFTP|boot HTTP)/.test(what));
  if (missing !== undefined) return { state: 'open', why: `${missing[0]}: ${missing[1]}`, link: NETWORK };
  const on = [...(tftp.enabled ? ['TFTP'] : []), ...(http.port === null ? [] : ['boot HTTP'])];
  return { state: 'done', why: `${on.join(' and ')} on this host`, link: NETWORK };
}

function ramdisk({ config, clock }: ReadServices, examination: Examination | undefined): Finding {
  const { deploy_kernel: kernel, deploy_ramdisk: initrd, ...byArch } = config.conductor;
  const isSet = initrd !== null && kernel !== null;
  if (!isSet && byArch.deploy_ramdisk_by_arch.length === 0)
    return {
      state: 'open',
      why: 'Without it no machine can be inspected, cleaned or given a system.',
      command: 'sudo ironic-edge agent-image build',
    };
  const file = fileOf(initrd);
  if (file === undefined) return notLookedAt(examination);
  try {
    const age = Math.max(0, (clock.now() - statSync(realpathSync(file)).mtimeMs) / 1000);
    const isOld = age > OLDEST_RAMDISK_DAYS * DAY_SECONDS;
    return {
      state: isOld ? 'open' : 'done',
      why: `${file} is ${durationText(age)} old${isOld ? ', and lacks the security updates since' : ''}.`,
      ...(isOld && { command: 'sudo ironic-edge agent-image update' }),
    };
  } catch (error) {
    return {
      state: 'open',
      why: `The ramdisk cannot be read: ${reasonOf(error)}`,
      command: 'sudo ironic-edge agent-image build',
    };
  }
}

function fileOf(reference: string | null): string | undefined {
  if (reference?.startsWith('/') === true) return reference;
  try {
    return reference?.startsWith('file:') === true ? fileURLToPath(reference) : undefined;
  } catch {
    return undefined;
  }
}

/** A ramdisk at a URL, or one for each architecture: only the doctor looks whether it is there. */
function notLookedAt(examination: Examination | undefined): Finding {
  const found = examination?.findings.find(({ probe }) => probe === 'ramdisk');
  if (found?.severity === 'none') return { state: 'done', why: 'The doctor could reach what is configured.' };
  return {
    state: 'unknown',
    why:
      found === undefined
        ? 'It is configured. Whether it is there is known when the doctor has run.'
        : found.saw,
    link: HEALTH,
  };
}

const HEALTH = { href: '/ui/health', label: 'Health' } as const;

function image({ db }: ReadServices): Finding {
  const states = db.images.list(['state'], [], SOME);
  const ready = states.filter(({ state }) => state === 'ready').length;
  if (ready > 0) return { state: 'done', why: `${plural(ready, 'image')} ready` };
  return {
    state: 'open',
    why:
      states.length === 0
        ? 'The catalogue is empty.'
        : `${plural(states.length, 'image')} known, none fetched yet`,
    command: 'ironic-edge image add debian-13',
    link: { href: '/ui/images', label: 'Images' },
  };
}

function machine({ db }: ReadServices): Finding {
  const counts = db.nodes.countByState();
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  const link = { href: all === 0 ? '/ui/add' : '/ui/', label: all === 0 ? 'Add machines' : 'Machines' };
  return all === 0
    ? { state: 'open', why: 'There is none yet.', link }
    : { state: 'done', why: `${plural(all, 'machine')} enrolled`, link };
}

function discovery({ config }: ReadServices): Finding {
  const { bmc_networks: networks } = config.zero_touch;
  return networks.length > 0
    ? { state: 'done', why: `BMCs are looked for in ${networks.join(', ')}.` }
    : {
        state: 'open',
        isOptional: true,
        why: 'With the networks of the BMCs, machines that are plugged in appear here.',
        command: '[zero_touch] bmc_networks = 10.0.1.0/24',
      };
}

function backup({ config, clock }: ReadServices): Finding {
  const directory = path.join(config.DEFAULT.state_path, 'backups');
  try {
    const [newest] = backupsIn(directory);
    if (newest !== undefined) {
      const age = Math.max(0, (clock.now() - statSync(newest).mtimeMs) / 1000);
      return { state: 'done', why: `The newest is ${durationText(age)} old.` };
    }
  } catch (error) {
    return { state: 'unknown', why: reasonOf(error) };
  }
  return {
    state: 'open',
    why: `There is none in ${directory}.`,
    command: 'sudo systemctl enable --now ironic-edge-backup.timer',
  };
}

function doctor(examination: Examination | undefined, { clock }: ReadServices): Finding {
  if (examination === undefined)
    return { state: 'open', why: 'It has not run since the start.', link: HEALTH };
  const { findings, failure, at } = examination;
  if (failure !== undefined) return { state: 'unknown', why: failure, link: HEALTH };
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const age = `${durationText(Math.max(0, (clock.now() - at) / 1000))} ago`;
  return errors > 0
    ? { state: 'open', why: `It found ${plural(errors, 'error')} ${age}.`, link: HEALTH }
    : { state: 'done', why: `It found no error ${age}.`, link: HEALTH };
}
