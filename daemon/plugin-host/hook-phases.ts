// The phases of an inspection hook, and a hook whose phases run in its plugin's process.

export const hookPhases = ['preprocess', 'call'] as const;
export type HookPhase = (typeof hookPhases)[number];

/** Each phase takes a draft and returns a result, both encoded as `isolation/border/draft-traffic.ts` does. */
export type IsolatedHook = Readonly<
  Partial<Record<HookPhase, (draft: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>>>
>;
