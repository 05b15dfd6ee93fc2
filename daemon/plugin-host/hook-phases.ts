// The phases of an inspection hook, and a hook whose phases run in its plugin's process.

export const hookPhases = ['preprocess', 'call'] as const;
export type HookPhase = (typeof hookPhases)[number];

/** `isolation/border/draft-traffic.ts` says what the bytes of the draft and of the result hold. */
export type IsolatedHook = Readonly<
  Partial<Record<HookPhase, (draft: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>>>
>;
