// Hooks of plugins that have processes of their own. Only the main thread can reach these processes. So the thread that processes
// a report sends the draft that hooks edit (node, ports, plugin data) to the main thread as bytes, and gets the result back.
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { reasonOf } from '../../daemon/model/faults.ts';
import type { HookPhase, IsolatedHook } from '../../daemon/plugin-host/hook-phases.ts';
import type { HookReference } from '../../daemon/plugin-host/hooks.ts';
import { draftBytes, takeResult } from '../../daemon/plugin-host/isolation/border/draft-traffic.ts';
import { InspectionError } from '#plugin-api';
import type { NamedHook } from './run-hooks.ts';

/** What the thread sends first. */
interface Began {
  readonly thread: number;
}

interface Asked {
  readonly name: string;
  readonly phase: HookPhase;
  readonly draft: Uint8Array<ArrayBuffer>;
}

type Answered = { readonly result: Uint8Array<ArrayBuffer> } | { readonly reason: string };

/** Runs a phase of a hook in the process of the hook's plugin, and returns the result of the phase. */
export type RunIsolated = (asked: Asked) => Promise<Uint8Array>;

/** For the thread that processes the report. Returns a hook whose phases return promises that resolve once the draft is edited. */
export function isolatedHook(
  { name, plugin, phases }: Extract<HookReference, { kind: 'isolated' }>,
  run: RunIsolated,
): NamedHook {
  const phase = (which: HookPhase) => async (draft: Parameters<typeof draftBytes>[0]) => {
    const asked = { name, phase: which, draft: draftBytes(draft) };
    const result = await run(asked).catch((error: unknown) => {
      const place = `${which} on node ${draft.node.uuid}`;
      throw new InspectionError(`the hook of plugin ${plugin} failed in ${place}: ${reasonOf(error)}`);
    });
    takeResult(result, draft);
  };
  const hook = Object.fromEntries(phases.map((which) => [which, phase(which)]));
  return { name, plugin, hook };
}

/** For the thread that processes the report. Tells the main thread the ID that the thread has in the kernel. */
export function tellThread(port: MessagePort): void {
  const [, thread] = readlinkSync('/proc/thread-self').split('/task/');
  port.postMessage({ thread: Number(thread) } satisfies Began);
}

/** For the thread that processes the report. Asks the main thread to run the hook. */
export const runAcross =
  (port: MessagePort): RunIsolated =>
  async (asked) => {
    port.postMessage(asked, [asked.draft.buffer]);
    const [answered] = (await once(port, 'message')) as [Answered];
    if ('reason' in answered) throw new Error(answered.reason);
    return answered.result;
  };

/**
 * For the main thread. `work` gives its port to the thread that processes the report. Until `work` ends, runs the hooks for which
 * requests arrive over the port. Calls `began` with the thread's ID in the kernel.
 */
export async function withIsolatedHooks<T>(
  hooks: ReadonlyMap<string, IsolatedHook>,
  work: (port: MessagePort) => Promise<T>,
  began: (thread: number) => void,
): Promise<T> {
  const { port1, port2 } = new MessageChannel();
  const over = new AbortController();
  const answer = async (asked: Asked) => {
    const answered = await answerTo(hooks, asked, over.signal);
    port1.postMessage(answered, 'result' in answered ? [answered.result.buffer] : []);
  };
  port1.on('message', (message: Asked | Began) => {
    if ('thread' in message) began(message.thread);
    else void answer(message);
  });
  port1.on('close', () => over.abort(new Error('the inspection is over')));
  try {
    return await work(port2);
  } finally {
    port1.close();
  }
}

async function answerTo(
  hooks: ReadonlyMap<string, IsolatedHook>,
  asked: Asked,
  signal: AbortSignal,
): Promise<Answered> {
  try {
    const result = await runHere(hooks, signal)(asked);
    return { result: new Uint8Array(result) };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

/** For the main thread. Runs the hook in the process of its plugin. */
export const runHere =
  (hooks: ReadonlyMap<string, IsolatedHook>, signal: AbortSignal): RunIsolated =>
  async ({ name, phase, draft }) => {
    const run = hooks.get(name)?.[phase];
    if (run === undefined) throw new Error(`there is no ${phase} of the hook ${name}`);
    return run(draft, signal);
  };
