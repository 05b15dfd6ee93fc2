// The faults of a simulated machine. They may be changed at any time.

export interface Troubles {
  /** The steps that fail, by name, each with its error. */
  readonly failingSteps: Map<string, string>;
  /** Steps that never end. */
  readonly hangingSteps: Set<string>;
  /** Steps during which the agent dies: it stops answering, and the power stays on. */
  readonly deadlySteps: Set<string>;
  /** What the agent sends in place of every reply. */
  garbage: { readonly status: number; readonly text: string } | undefined;
  /** The agent sends this token in heartbeats and requires it from callers. */
  foreignToken: string | undefined;
  /** The address that heartbeats contain in place of the agent's real one. */
  foreignAddress: string | undefined;
  /** The certificate (PEM) that heartbeats contain in place of the agent's real one. */
  foreignCertificate: string | undefined;
  /** The ramdisk has no network. The BMC still answers, because it has its own network. */
  networkDown: boolean;
  /** The ramdisk boots, but its agent sends nothing. */
  mute: boolean;
  /** The agent refuses every command, as if it were running another one. */
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
