// The DHCP provider `dnsmasq`. It writes an options file for each node; the options apply only under the node's tag. It writes a
// host file for each port with pxe_enabled; the file sets that tag for the port's MAC address. Each new set of options gets a new
// tag, because dnsmasq never forgets an option that it has read.
import { randomUUID } from 'node:crypto';
import { accessSync, constants, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/sections/core-sections.ts';
import { parseMac } from '../../lib/network/mac.ts';
import { parseUuid } from '../../lib/uuid.ts';
import {
  checkWatchedDirectory,
  contentOf,
  hostIn,
  hostName,
  ignoredHost,
  replaceFile,
  taggedHost,
} from './watched-directory.ts';
import { fault, reasonOf } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { bootAddresses, clientIdOf, type Port } from '../../model/records/port.ts';
import type { Dhcp } from '../../plugin-api/index.ts';
import { leasedAddresses } from './dnsmasq-leases.ts';
import { optionLine } from './dnsmasq-options.ts';
import type { DhcpProvider, DhcpTask } from '../provider/dhcp-provider.ts';
import { validDhcpOptions } from '../provider/valid-dhcp-options.ts';

type Settings = Config['dnsmasq'];

/** `filtersHosts` is the hosts directory of ironic-pxe-filter. Throws when a directory cannot be used. */
export function createDnsmasqProvider(settings: Settings, filtersHosts: string | null): DhcpProvider {
  const { dhcp_optsdir, dhcp_hostsdir } = settings;
  checkWritable('[dnsmasq] dhcp_optsdir', dhcp_optsdir);
  checkWritable('[dnsmasq] dhcp_hostsdir', dhcp_hostsdir);
  checkApart('[dnsmasq] dhcp_optsdir', dhcp_optsdir, dhcp_hostsdir);
  if (filtersHosts !== null) checkApart('[pxe_filter] dhcp_hostsdir', filtersHosts, dhcp_hostsdir);
  return {
    of: (task) => dhcpOf(task, settings),
    release(node, addresses) {
      if (tagOf(node) !== undefined) ignoreHosts(node, addresses, settings);
    },
  };
}

function checkWritable(option: string, path: string): void {
  checkWatchedDirectory(option, path);
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(
      `${option} = ${path}: expected a directory that this user may write to: ${reasonOf(error)}. Make the daemon's user its owner, and list it in ReadWritePaths of the daemon's systemd unit.`,
      { cause: error },
    );
  }
}

function checkApart(option: string, path: string, hosts: string): void {
  const [one, other] = [statSync(path, { throwIfNoEntry: false }), statSync(hosts)];
  if (one?.dev !== other.dev || one.ino !== other.ino) return;
  throw new Error(
    `${option} = ${path}: expected a directory other than [dnsmasq] dhcp_hostsdir = ${hosts}. Create one for each, and name both in the dnsmasq configuration.`,
  );
}

function dhcpOf(task: DhcpTask, settings: Settings): Dhcp {
  const { dhcp_optsdir: optionFiles, dhcp_leasefile: leaseFile } = settings;
  const optionFile = `ironic-${task.node.uuid}.conf`;
  return {
    async update(options) {
      const lines = validDhcpOptions(options, task).map(optionLine);
      const hosts = hostFiles(bootAddresses(task.ports));
      const clientIds = clientIdsOf(task.ports);
      const textWith = (tag: string) => lines.map((line) => `tag:${tag},${line}\n`).join('');
      let tag = tagOf(task.node);
      if (tag === undefined || contentOf(join(optionFiles, optionFile)) !== textWith(tag)) {
        tag = randomUUID();
        writeFile(task.node, optionFiles, optionFile, textWith(tag));
        task.store({ driver_internal_info: { ...task.node.driver_internal_info, dnsmasq_tag: tag } });
      }
      for (const [file, mac] of hosts)
        writeFile(
          task.node,
          settings.dhcp_hostsdir,
          file,
          taggedHost(hostName(mac, clientIds.get(mac)), tag),
        );
    },
    // the tag is removed last: as long as the node has it, the next call knows that options remain to be withdrawn
    async clean() {
      const { dnsmasq_tag: tag, ...others } = task.node.driver_internal_info;
      if (tag !== undefined) ignoreHosts(task.node, bootAddresses(task.ports), settings);
      toDisk(task.node, optionFiles, () => rmSync(join(optionFiles, optionFile), { force: true }));
      if (tag !== undefined) task.store({ driver_internal_info: others });
    },
    async ipAddresses() {
      const leased = leasedAddresses(await leases(task.node, leaseFile));
      const clientIds = clientIdsOf(task.ports);
      return [...bootAddresses(task.ports)].flatMap(
        (address) => leased.get(address) ?? leased.get(clientIds.get(address) ?? '') ?? [],
      );
    },
  };
}

function tagOf({ driver_internal_info: { dnsmasq_tag: tag } }: Node): string | undefined {
  return typeof tag === 'string' ? parseUuid(tag) : undefined;
}

function ignoreHosts(node: Node, addresses: Iterable<string>, { dhcp_hostsdir }: Settings): void {
  for (const [file, mac] of hostFiles(addresses)) {
    // the port may have another client identifier now, or may be gone
    const before = hostIn(contentOf(join(dhcp_hostsdir, file)));
    writeFile(node, dhcp_hostsdir, file, ignoredHost(before.startsWith(mac) ? before : mac));
  }
}

const clientIdsOf = (ports: readonly Port[]): ReadonlyMap<string, string | undefined> =>
  new Map(ports.map((port) => [port.address, clientIdOf(port)]));

/** Returns host file names, each with its MAC address. Throws InvalidMac. */
const hostFiles = (addresses: Iterable<string>): readonly (readonly [file: string, mac: string])[] =>
  [...addresses].map((address) => {
    if (parseMac(address) !== address) throw fault('InvalidMac', { value: address });
    return [`ironic-${address}.conf`, address];
  });

function writeFile(node: Node, directory: string, file: string, content: string): void {
  if (contentOf(join(directory, file)) === content) return;
  toDisk(node, directory, () => replaceFile(directory, file, content));
}

function toDisk(node: Node, directory: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const remedy = `Check that the daemon may write to ${directory} and that its disk is not full, then try again.`;
    throw fault('DhcpFailed', { node: node.uuid, reason: reasonOf(error), remedy }, { cause: error });
  }
}

/** Returns the text of the lease file; empty while dnsmasq has not created it. Throws DhcpFailed. */
async function leases(node: Node, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    const remedy = `Check that the daemon may read ${path} ([dnsmasq] dhcp_leasefile).`;
    throw fault('DhcpFailed', { node: node.uuid, reason: reasonOf(error), remedy }, { cause: error });
  }
}
