// What setup changes, as data: what is shown, and what undoes it.

/** A text that setup adds at the end of a file. */
export interface Addition {
  readonly kind: 'addition';
  readonly path: string;
  readonly text: string;
  /** Whether the file did not exist: without the text it is removed. */
  readonly isNewFile: boolean;
  readonly isNewFolder?: boolean;
  /** The command that makes a service read the file again. */
  readonly reload?: readonly string[];
}

/** What a firewall lets pass on an interface: packets to ports, or the solicitations of IPv6 routers, which have no ports. */
export interface FirewallRule {
  readonly protocol: 'udp' | 'tcp' | 'icmpv6';
  readonly ports: readonly number[];
  readonly device: string;
  /** Whether UDP and TCP are let through over IPv6 too. */
  readonly ipv6?: boolean;
}

export type FirewallTool = 'ufw' | 'firewalld' | 'nftables';

export interface UnitState {
  readonly isEnabled: boolean;
  readonly isActive: boolean;
}

/** What undoes a change. It is in the journal before the change begins. */
export type Undo =
  | Addition
  /** Files that setup has made; paths that were there before are not in the list. */
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'packages'; readonly names: readonly string[] }
  | { readonly kind: 'firewall'; readonly tool: FirewallTool; readonly rules: readonly FirewallRule[] }
  /** A folder in which setup makes folders; `before` are the names that were in it. */
  | { readonly kind: 'folders'; readonly path: string; readonly before: readonly string[] }
  | { readonly kind: 'units'; readonly before: Readonly<Record<string, UnitState>> }
  | { readonly kind: 'image'; readonly name: string };

export interface HostChange {
  /** Names the change in the journal; the same in each run. */
  readonly id: string;
  /** What is done, as a sentence without its full stop. */
  readonly says: string;
  /** The lines or commands that the plan shows below the sentence. */
  readonly shows: readonly string[];
  /** Resolves with what undoes the change. Changes nothing. */
  prepare(): Promise<Undo>;
  /** Does the change, also when a run that was killed has done a part of it. */
  apply(undo: Undo): Promise<void>;
}

/** Where setup shows what it does. */
export interface Progress {
  readonly say: (line: string) => void;
  readonly doing: (line: string) => void;
}
