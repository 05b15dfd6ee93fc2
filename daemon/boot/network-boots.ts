// What the machine of each node boots from the network: stored, so that a restart of the daemon interrupts no boot, and
// published as the scripts and files that its boot loader asks for.
import type { Database } from '../db/database.ts';
import { volumeFailureName } from './scripts/failure-reports.ts';
import { grubAliases, grubConfig, grubConfigName } from './scripts/grub.ts';
import { ipxeIsoScript, ipxeScript, ipxeScriptName, ipxeVolumeScript } from './scripts/ipxe.ts';
import { pxelinuxConfig, pxelinuxConfigNames } from './scripts/pxelinux.ts';
import type { IscsiBoot } from '../model/instance/iscsi-boot.ts';
import type { BootProtocol } from '../model/machine/boot-protocols.ts';
import type { Served, ServedFiles, ServedNames } from './served-files.ts';

interface Boot {
  readonly protocol: BootProtocol;
  /** What the boot is for, shown on the machine's screen: `cleaning of node-1`. */
  readonly title: string;
}

export interface KernelBoot extends Boot {
  /** Absolute paths of regular files. */
  readonly kernel: string;
  readonly ramdisk: string | null;
  /** The kernel's command line, as commandLine in scripts/kernel-command-line.ts returns it. */
  readonly commandLine: string;
  /** More files for the machine: by name, a text or the absolute path of a regular file. */
  readonly files?: Readonly<Record<string, { readonly text: string } | { readonly path: string }>>;
}

/** A CD image, which only iPXE can boot. */
export interface IsoBoot extends Boot {
  /** Absolute path of a regular file. */
  readonly iso: string;
}

/** Volumes, which only iPXE can boot from. */
export interface VolumeBoot extends Boot {
  readonly volume: IscsiBoot;
}

type NetworkBoot = KernelBoot | IsoBoot | VolumeBoot;

/** A CD image that the BMC reads: the machine boots nothing from the network. */
export interface CdImage {
  /** Absolute path of a regular file. */
  readonly cd: string;
  /** The name under which it is served. */
  readonly name: string;
}

type Stored = NetworkBoot | CdImage;

export interface NetworkBoots {
  /** The URL of the HTTP boot server; undefined if there is no such server, and until `serveFrom` is called. */
  readonly httpUrl: string | undefined;
  /** Why the ramdisk for machines without a port cannot be served, as a sentence; null when it is, and before it was tried. */
  unknownFailure: string | null;
  /**
   * Publishes everything that is stored, for the HTTP boot server at `httpUrl`. Nothing is published before this call.
   */
  serveFrom(httpUrl: string): void;
  /** The boot is on disk when `set` returns. */
  set(node: string, boot: NetworkBoot | CdImage): void;
  clear(node: string): void;
  /** Serves the texts among the boot's files no longer: they may hold secrets, and the machine has read them. */
  endTexts(node: string): void;
  /** What the machine boots from the network; undefined when it boots nothing from there, as with a CD image. */
  of(node: string): NetworkBoot | undefined;
  /** Publishes the node's boot again, with scripts for those of the node's ports that have `pxe_enabled` now. */
  refresh(node: string): void;
}

export function createNetworkBoots(db: Database, files: ServedFiles): NetworkBoots {
  const boots = new Map(db.networkBoots.all().map(({ node, boot }) => [node, boot as unknown as Stored]));
  let httpUrl: string | undefined;
  const publish = (node: string, boot: Stored, url: string) => {
    const ports = db.ports.ofNode(node);
    const bootable = ports.filter(({ pxe_enabled: enabled }) => enabled);
    const names = namesOf(node, boot, { macs: bootable.map(({ address }) => address), httpUrl: url });
    // a BMC reads a CD image, from an address of its own
    if ('cd' in boot) files.publish(node, names);
    else
      files.publish(
        node,
        names,
        ports.map(({ address }) => address),
      );
  };
  const refresh = (node: string) => {
    const boot = boots.get(node);
    if (boot === undefined || httpUrl === undefined) files.withdraw(node);
    else publish(node, boot, httpUrl);
  };
  const set = (node: string, boot: Stored) => {
    db.networkBoots.put(node, boot);
    boots.set(node, boot);
    refresh(node);
  };
  return {
    get httpUrl() {
      return httpUrl;
    },
    unknownFailure: null,
    serveFrom(url) {
      httpUrl = url;
      for (const node of boots.keys()) refresh(node);
    },
    set,
    endTexts(node) {
      const boot = boots.get(node);
      if (boot === undefined || !('files' in boot) || boot.files === undefined) return;
      const left = Object.entries(boot.files).filter(([, content]) => 'path' in content);
      set(node, { ...boot, files: Object.fromEntries(left) });
    },
    clear(node) {
      db.networkBoots.remove(node);
      boots.delete(node);
      refresh(node);
    },
    of(node) {
      const boot = boots.get(node);
      return boot === undefined || 'cd' in boot ? undefined : boot;
    },
    refresh,
  };
}

interface Place {
  readonly macs: readonly string[];
  readonly httpUrl: string;
}

/**
 * Everything to serve for the node. For a network boot this includes scripts for each boot loader that can carry it out, because
 * it is not known which loader the machine starts with.
 */
export function namesOf(node: string, boot: Stored, place: Place): ServedNames {
  if ('cd' in boot) return { [boot.name]: file(boot.cd) };
  if ('volume' in boot) return volumeNames(node, boot, place);
  return 'iso' in boot ? isoNames(node, boot, place) : kernelNames(node, boot, place);
}

function isoNames(node: string, { title, iso }: IsoBoot, { macs, httpUrl }: Place): ServedNames {
  const name = `nodes/${node}/boot.iso`;
  const script = bytes(ipxeIsoScript(title, `${httpUrl}/${name}`));
  return { [name]: file(iso), ...Object.fromEntries(macs.map((mac) => [ipxeScriptName(mac), script])) };
}

function volumeNames(node: string, { title, volume }: VolumeBoot, { macs, httpUrl }: Place): ServedNames {
  const failure = volumeFailureName(node);
  const script = bytes(ipxeVolumeScript(title, volume, `${httpUrl}/${failure}`));
  return {
    [failure]: bytes('\n'),
    ...Object.fromEntries(macs.map((mac) => [ipxeScriptName(mac), script])),
  };
}

function kernelNames(node: string, boot: KernelBoot, { macs, httpUrl }: Place): ServedNames {
  const [kernel, ramdisk] = [`nodes/${node}/kernel`, `nodes/${node}/ramdisk`];
  const scripts = scriptsOf(boot, { kernel, ramdisk }, httpUrl);
  const images: ServedNames = {
    [kernel]: file(boot.kernel),
    ...(boot.ramdisk !== null && { [ramdisk]: file(boot.ramdisk) }),
  };
  const more = Object.entries(boot.files ?? {}).map(
    ([name, content]) => [name, 'text' in content ? bytes(content.text) : file(content.path)] as const,
  );
  return {
    ...images,
    ...Object.fromEntries(more),
    ...Object.fromEntries(macs.flatMap((mac) => Object.entries(namesOfCard(mac, scripts)))),
  };
}

interface Scripts {
  readonly ipxe: Served;
  readonly grub: Served;
  readonly pxelinux: Served;
}

const namesOfCard = (mac: string, { ipxe, grub, pxelinux }: Scripts): ServedNames => ({
  [ipxeScriptName(mac)]: ipxe,
  [grubConfigName(mac)]: grub,
  ...Object.fromEntries(pxelinuxConfigNames(mac).map((name) => [name, pxelinux])),
  ...Object.fromEntries(grubAliases(mac).map((name) => [name, grub])),
});

interface Images {
  readonly kernel: string;
  readonly ramdisk: string;
}

export function scriptsOf(boot: KernelBoot, images: Images, httpUrl: string): Scripts {
  const { title, commandLine, ramdisk } = boot;
  const below = (root: string) => ({
    kernel: `${root}/${images.kernel}`,
    ramdisk: ramdisk === null ? null : `${root}/${images.ramdisk}`,
    commandLine,
  });
  return {
    ipxe: bytes(ipxeScript(title, below(httpUrl))),
    grub: bytes(grubConfig(title, below(''))),
    pxelinux: bytes(pxelinuxConfig(title, below(''))),
  };
}

const bytes = (text: string): Served => ({ kind: 'bytes', bytes: Buffer.from(text) });
const file = (path: string): Served => ({ kind: 'file', path });
