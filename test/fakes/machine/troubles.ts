// What can be wrong with a simulated machine. All of it may be changed at any time.

export interface Troubles {
  /** Steps that fail, by name, and the reason they give. */
  readonly failingSteps: Map<string, string>;
  /** Steps that never end. */
  readonly hangingSteps: Set<string>;
  /** Steps during which the agent dies: nothing answers any more, the power stays on. */
  readonly deadlySteps: Set<string>;
  /** Sent instead of every reply of the agent. */
  garbage: { readonly status: number; readonly text: string } | undefined;
  /** The agent claims this token in heartbeats, and wants it from callers. */
  foreignToken: string | undefined;
  /** The address that heartbeats name, instead of the one the agent serves at. */
  foreignAddress: string | undefined;
  /** Heartbeats bring this certificate (PEM) instead of the one the agent serves with. */
  foreignCertificate: string | undefined;
  /** Nothing leaves the ramdisk and nothing reaches it. The BMC has a network of its own. */
  networkDown: boolean;
  /** The ramdisk comes up, but its agent never speaks. */
  mute: boolean;
  /** Every command is refused, as while another one runs. */
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
