// Follows nodes by the daemon's events until the requested work has ended on each node.
import { reasonOf } from '../../../../model/faults.ts';
import { isJsonObject, type JsonObject } from '../../../../model/json.ts';
import { type ApiClient, ApiRefusal, pathOfNode } from '../../../api-client.ts';
import type { NodeVerb } from '../node-verbs.ts';
import { eventReader } from './event-reader.ts';
import { type NodeProgress, progressOf, watchedFields } from './progress-of.ts';

export interface Watch {
  readonly api: ApiClient;
  /** Waits before the API is asked again; ends early when the signal aborts. */
  readonly pause: (signal: AbortSignal) => Promise<void>;
  readonly verb: NodeVerb;
  /** The UUIDs of the nodes. */
  readonly nodes: readonly string[];
  /** Called for a node when a stream of events begins and after each event about the node, until its work has ended. */
  readonly show: (uuid: string, progress: NodeProgress) => void;
  /** Called when the API does not answer any more; the watch then asks it again. */
  readonly lost: (reason: string) => void;
  /** Ends the watch early. */
  readonly signal: AbortSignal;
}

/** Resolves when the work on all nodes has ended, or the signal aborts. Rejects when the API refuses to send events. */
export async function watchNodes(watch: Watch): Promise<void> {
  const { api, pause, signal } = watch;
  const left = new Set(watch.nodes);
  const ended = new AbortController();
  const lookAt = async (uuid: string) => {
    if (!left.has(uuid)) return;
    const progress = await look(watch, uuid).catch(failedWhenRefused);
    watch.show(uuid, progress);
    if (progress.kind !== 'works') left.delete(uuid);
    if (left.size === 0) ended.abort();
  };
  const onEvent = async (event: JsonObject) => {
    // the stream begins with an event that is about no node: until this event arrives, changes may have been missed
    const uuid = nodeOf(event);
    for (const each of uuid === undefined ? [...left] : [uuid]) await lookAt(each);
  };
  const stop = AbortSignal.any([signal, ended.signal]);
  while (left.size > 0 && !stop.aborted) {
    try {
      await api.follow('/v1/events/stream?type=baremetal.node', eventReader(onEvent), stop);
    } catch (error) {
      if (isRefusal(error)) throw error;
      if (!stop.aborted) watch.lost(reasonOf(error));
    }
    // when the daemon restarts, it ends the stream
    await pause(stop);
  }
}

async function look({ api, verb }: Watch, uuid: string): Promise<NodeProgress> {
  const { body } = await api.request('GET', `${pathOfNode(uuid)}?fields=${watchedFields.join(',')}`);
  return progressOf(verb, isJsonObject(body) ? body : {});
}

/** A 5xx status is no refusal: a proxy in front of the daemon answers with one while the daemon restarts. */
const isRefusal = (error: unknown): error is ApiRefusal => error instanceof ApiRefusal && error.status < 500;

/** A refusal, as for a node that was deleted meanwhile, counts as failed work. */
function failedWhenRefused(error: unknown): NodeProgress {
  if (!isRefusal(error)) throw error;
  return { kind: 'failed', text: error.message, share: 1 };
}

/** Returns the UUID of the node that an event is about, or undefined if the event is about no node. */
function nodeOf({ payload }: JsonObject): string | undefined {
  const node = isJsonObject(payload) ? payload['ironic_object.data'] : undefined;
  const uuid = isJsonObject(node) ? node['uuid'] : undefined;
  return typeof uuid === 'string' ? uuid : undefined;
}
