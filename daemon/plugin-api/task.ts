// The task: what every operation of a driver interface works with.
import type { Logger } from '../lib/logger.ts';
import type { BootMode } from '../model/machine/boot-modes.ts';
import type { BootProtocol } from '../model/machine/boot-protocols.ts';
import type { KernelParameters } from '../model/machine/kernel-parameters.ts';
import type { IscsiBoot } from '../model/instance/iscsi-boot.ts';
import type { Node } from '../model/records/node.ts';
import type { Port } from '../model/records/port.ts';
import type { VolumeConnector, VolumeTarget } from '../model/records/volume.ts';
import type { PowerTarget } from '../model/states/power-states.ts';
import type { ProvisionVerb } from '../model/states/verbs.ts';
import type { Agent } from './agent.ts';
import type { BmcConversation, BmcOptions } from './bmc.ts';
import type { Dhcp } from './boot/dhcp.ts';
import type { Images } from './images.ts';

/**
 * The node fields that an interface may change; only the conductor changes the others. Of `driver_info`, an interface may change
 * only the fields that its `properties` declare.
 */
export type DriverChanges = Partial<
  Pick<
    Node,
    | 'driver_info'
    | 'driver_internal_info'
    | 'properties'
    | 'instance_info'
    | 'boot_mode'
    | 'secure_boot'
    | 'raid_config'
    | 'health'
  >
>;

/** Values of the configuration, by section and option. */
export type Configuration = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * One unit of work on one node. Unless the operation's description says otherwise, the node is locked for the task's
 * lifetime, so that nothing else changes it. When the operation has ended, `signal` is aborted, and every member other than
 * `signal` and `clock` throws. The member `driver`, the node's driver, is declared with the type `Driver`.
 */
export interface Task {
  /**
   * The node record; replaced on change, never mutated. It is current when the operation begins and whenever a promise
   * of the task has resolved. Secrets in `driver_info` are in clear text.
   */
  readonly node: Node;
  /** Current at the same moments as `node`. */
  readonly ports: readonly Port[];
  readonly volumes: Volumes;
  readonly log: Logger;
  /** Aborts when the work is no longer wanted, such as when the daemon stops or an operator aborts. */
  readonly signal: AbortSignal;
  /** Values of the configuration sections that the plugin's manifest declares, and of Ironic's own sections. */
  readonly configuration: Configuration;
  readonly clock: TaskClock;
  readonly ramdisk: Ramdisk;
  readonly boot: BootServices;
  readonly configDrive: ConfigDrive;
  readonly images: Images;
  /**
   * Changes the node: each given field is replaced whole. When the promise resolves, the changes are in the database and survive
   * a crash.
   */
  update(changes: DriverChanges): Promise<void>;
  /** Puts the node into maintenance, as an operator would, with a note in its history. */
  setMaintenance(reason: string): Promise<void>;
  /** Ends the node's maintenance and clears its fault, as an operator would, with a note in its history. */
  clearMaintenance(): Promise<void>;
  /** Writes a note into the node's history. */
  addNote(text: string): Promise<void>;
  /**
   * Requests a provision verb that needs no arguments, such as `manage` or `provide`. Throws InvalidStateRequested or
   * NodeInMaintenance if the same request by an operator would be refused now. The work begins when the node's lock is free; if it
   * cannot begin, the node's history says why. `endsMaintenance`, for `provide`: the maintenance ends in the same change in which
   * the work begins, and stays if the work cannot begin.
   */
  requestProvision(verb: ProvisionVerb, options?: { readonly endsMaintenance: boolean }): Promise<void>;
  /** Returns a new URL for the events of the node's BMC; earlier URLs no longer work. */
  renewEventUrl(): Promise<string>;
  /** Adds a port for each MAC address; invalid addresses and those that a port already has are logged and skipped. */
  addPorts(addresses: readonly string[]): Promise<void>;
  /** Changes the machine's power through the node's power interface, recorded like an operator's request. */
  setPower(target: PowerTarget): Promise<void>;
  /**
   * Runs `converse` when the BMC at `address` is free: one conversation at a time unless the options allow more, with the minimum
   * gap between two conversations. Every request to a BMC must go through this function. `converse` must throw BmcFailure when
   * the BMC does not answer. After three such failures in a row, conversations that no operator asks for fail at once with
   * BmcFailure for a while. When the BMC answers but does not do what was asked, `converse` must throw BmcRefused, BmcNotReady
   * or BmcCredentialsRefused.
   */
  bmc<T, State = undefined>(
    address: string,
    options: BmcOptions<State>,
    converse: (conversation: BmcConversation<State>) => Promise<T>,
  ): Promise<T>;
}

/** The node's volumes and the ways to them, oldest first. Current at the same moments as `node`. */
export interface Volumes {
  readonly connectors: readonly VolumeConnector[];
  /** Secrets in `properties` are in clear text. */
  readonly targets: readonly VolumeTarget[];
}

/** The clock of a task. HTTP clients take it as their `clock`. */
export interface TaskClock {
  /** Milliseconds since the epoch, for times that are stored or shown. The wall clock may be set at any time. */
  now(): number;
  /** Milliseconds from an arbitrary start on a monotonic clock, for deadlines and durations. */
  monotonic(): number;
  /** Resolves after `milliseconds`; rejects when the task is aborted. */
  sleep(milliseconds: number): Promise<void>;
  /** Calls `action` after `milliseconds`. Returns a function that cancels the call. */
  after(milliseconds: number, action: () => void): () => void;
}

/** The ramdisk on the node's machine. */
export interface Ramdisk {
  /** The agent that sent the node's last heartbeat. */
  readonly agent: Agent;
  /** Kernel command line parameters that every ramdisk needs. */
  readonly parameters: KernelParameters;
  /** Whether the agent sent a heartbeat within [deploy] fast_track_timeout. */
  readonly isAlive: boolean;
  /**
   * Whether a ramdisk with the agent already runs and can be used without a reboot ([deploy] fast_track). It is possible
   * that its agent has not sent a heartbeat yet.
   */
  readonly isRunning: boolean;
  /** Whether to leave a running ramdisk up for the next operation. */
  readonly staysRunning: boolean;
  /**
   * Saves the running ramdisk's logs if `[agent] deploy_logs_collect` asks for them. `label`, part of the file name,
   * says what the ramdisk was booted for; null for a deployment. Failures are logged, not thrown.
   */
  saveLogs(label: string | null, failed: boolean): Promise<void>;
  /**
   * Has the agent load the kernel of the instance on the disk if the instance, its node or [deploy] asks for kexec. Resolves to
   * whether it is loaded. If it is not although it was asked for, the timeline says why.
   */
  loadInstanceKernel(): Promise<boolean>;
  /**
   * Starts the kernel that `loadInstanceKernel` has loaded, in place of the ramdisk, and waits until the instance is seen on the
   * network. After `failed` the machine must be reset, because nobody knows what it does.
   */
  startInstanceKernel(): Promise<StartedInstance>;
}

export type StartedInstance = 'runs' | 'failed' | 'not loaded';

/** The config drive in `instance_info/configdrive`: it gives the instance its first settings. */
export interface ConfigDrive {
  /**
   * Throws InvalidParameter or ImageUnusable when `image` would fail, as far as that can be seen without building or fetching
   * anything.
   */
  check(): Promise<void>;
  /**
   * Returns the drive in a form that agents accept: its http or https URL, or the gzipped image in base64; null if
   * there is none. Builds the image when `instance_info` holds documents.
   */
  image(): Promise<string | null>;
}

/** The servers that the node's machine boots from. */
export interface BootServices {
  /** Why the daemon's servers cannot boot machines, as part of a sentence; null when they can. */
  readonly obstacle: string | null;
  /**
   * Why a machine without a port boots nothing although this daemon answers its DHCP requests, as part of a sentence; null when it
   * boots the ramdisk, and when another server answers.
   */
  readonly unknownObstacle: string | null;
  readonly dhcp: Dhcp;
  /**
   * Throws what `serve` (`network`) or `serveCd` (`cd`) would throw for the system, as far as that can be seen without a download:
   * ImageUnusable or InvalidParameter.
   */
  check(system: BootSystem, medium: BootMedium): Promise<void>;
  /**
   * Serves a system to the machine whenever it boots from the network, until `withdraw`, also after a restart of the daemon.
   * Fetches the images first. Throws ImageUnusable, InvalidParameter or DhcpFailed.
   */
  serve(boot: NetworkBoot): Promise<void>;
  /**
   * Makes a CD image that boots the system, and serves it in place of what was served before, until `withdraw`, also after a
   * restart of the daemon. Returns the URL for the BMC (below `external_http_url` of `driver_info`, if set), which nobody can
   * guess. Throws ImageUnusable, InvalidParameter or DriverInfoInvalid.
   */
  serveCd(cd: CdBoot): Promise<string>;
  /**
   * Stops serving, so that the machine boots nothing from the network. Harmless when nothing was served. Throws DhcpFailed.
   */
  withdraw(): Promise<void>;
}

export type BootMedium = 'network' | 'cd';

/** What a machine boots from the network. */
export type NetworkBoot = BootSystem & {
  readonly protocol: BootProtocol;
  /** The expected boot mode. Where the daemon answers DHCP itself, it ignores this and uses what the machine says. */
  readonly bootMode: BootMode;
  /** Shown on the machine's screen: `cleaning of node-1`. */
  readonly title: string;
};

/** What a machine boots from a CD image. The image is in a virtual drive of its BMC, or its firmware downloads the image. */
export type CdBoot = Exclude<BootSystem, { readonly kind: 'volume' }> & {
  /** Shown on the machine's screen: `cleaning of node-1`. */
  readonly title: string;
  /** Whether the agent gets its token on the CD. Only a CD that the daemon makes can contain a token. */
  readonly agentToken: boolean;
};

/**
 * A system that a machine boots without its disk: a kernel, the image of a CD, or a volume. Images are URLs (http, https, file),
 * each with an optional checksum: `https://images.example/ipa.kernel#sha256=...`.
 */
export type BootSystem =
  | {
      readonly kind: 'kernel';
      readonly kernel: string;
      readonly ramdisk: string | null;
      readonly parameters: KernelParameters;
      readonly files?: readonly BootFile[];
    }
  | { readonly kind: 'iso'; readonly iso: string }
  | ({ readonly kind: 'volume' } & IscsiBoot);

/** A file for the booted system, served at a URL that cannot be guessed. */
export interface BootFile {
  /** `ks.cfg`, or a path such as `LiveOS/squashfs.img`. */
  readonly name: string;
  readonly content: { readonly text: string } | { readonly image: string };
  /** The kernel parameter whose value is the URL. */
  readonly parameter: string;
  /** Whether the parameter's value is the URL of the file itself, or of the folder that the path `name` is relative to. */
  readonly urlOf: 'file' | 'folder';
}
