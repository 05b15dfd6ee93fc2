// The faults of a simulated machine. They may be changed at any time.

export interface Troubles {
  /** Failing steps by name, with their error. */
  readonly failingSteps: Map<string, string>;
  /** Steps that never end. */
  readonly hangingSteps: Set<string>;
  /** Steps during which the agent dies: it stops answering, and the power stays on. */
  readonly deadlySteps: Set<string>;
  /** Sent instead of every reply of the agent. */
  garbage: { readonly status: number; readonly text: string } | undefined;
  /** The agent sends this token in heartbeats and requires it from callers. */
  foreignToken: string | undefined;
  /** The address in heartbeats instead of the agent's real one. */
  foreignAddress: string | undefined;
  /** The certificate (PEM) in heartbeats instead of the agent's real one. */
  foreignCertificate: string | undefined;
  /** The ramdisk has no network. The BMC has its own network. */
  networkDown: boolean;
  /** The ramdisk boots, but its agent sends nothing. */
  mute: boolean;
  /** Every command is refused as if another one were running. */
  busy: boolean;
}

export const noTroubles = (): Troubles => ({
  failingSteps: new Map(),
  hangingSteps: new Set(),
  deadlySteps: new Set(),
  garbage: undefined,
  foreignToken: undefined,
  foreignAddress: undefined,
  foreignCertificate: undefined,
  networkDown: false,
  mute: false,
  busy: false,
});
