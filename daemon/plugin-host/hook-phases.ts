// The phases of an inspection hook, and a hook whose phases run in its plugin's process.

export const hookPhases = ['preprocess', 'call'] as const;
export type HookPhase = (typeof hookPhases)[number];

/**
 * Each phase takes the draft, which is the node and ports as hooks have changed them so far, and returns its result. Both are bytes
 * in the encoding of `isolation/border/draft-traffic.ts`.
 */
export type IsolatedHook = Readonly<
  Partial<Record<HookPhase, (draft: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>>>
>;
