// GET /v1/events/stream: sends events as server-sent events. A stream can begin after any event that is still stored.
import { Places } from '../../lib/limits/places.ts';
import { fault } from '../../model/faults.ts';
import { MAXIMUM_MINOR } from '../../model/microversions.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, type Route, route } from '../../http/route.ts';
import type { EventFilter, StoredEvent } from '../../db/tables/events.ts';
import { findNode } from '../../conductor/records/find-record.ts';
import type { Recorder } from '../../conductor/timeline/recorder.ts';
import type { EventLog } from './event-log.ts';

const parameters = {
  since: { kind: 'integer' },
  node: { kind: 'text' },
  type: { kind: 'text' },
  timelines: { kind: 'flag' },
} as const satisfies Parameters;

type StreamRequest = ApiRequest<typeof parameters>;

const BATCH = 100;
const COMMENT_MILLISECONDS = 15_000;
const RETRY_MILLISECONDS = 2000;
const LIMITS = { most: 64, mostOfOne: 8 };

export interface EventStreams {
  readonly routes: readonly Route[];
  /** How many streams are open. */
  readonly count: number;
}

/** The schema of each server-sent event: its fields are text, except `retry`, which is in milliseconds. */
const eventSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    event: { type: 'string' },
    data: { type: 'string' },
    retry: { type: 'integer' },
  },
} as const;

type Timelines = Pick<Recorder, 'storedWatchers'>;

export function eventStreams(log: EventLog, timelines: Timelines): EventStreams {
  const places = new Places(LIMITS);
  const enter = ({ caller }: StreamRequest) => {
    const leave = places.take(caller.user ?? caller.address ?? 'socket');
    if (leave === undefined) {
      const { most: limit, mostOfOne: own } = LIMITS;
      throw fault('TooManyStreams', { what: 'event streams', limit, own });
    }
    return leave;
  };
  return {
    get count() {
      return places.count;
    },
    routes: [
      route({
        method: 'GET',
        path: '/v1/events/stream',
        since: 1,
        query: parameters,
        media: 'text/event-stream',
        answers: { 200: eventSchema },
        handler(request) {
          const filter = filterOf(request);
          const cursor = cursorOf(request);
          const leave = enter(request);
          const seen = request.query.timelines === true ? seenMachines(timelines, filter.node) : undefined;
          return { status: 200, stream: streamOf(log, { cursor, filter, seen, leave }) };
        },
      }),
    ],
  };
}

function filterOf(request: StreamRequest): EventFilter {
  const { node, type } = request.query;
  // the newest version, because a browser cannot send a version header and the oldest version does not accept names
  return { type, node: node && findNode(request.services, node, MAXIMUM_MINOR).uuid };
}

/** A browser that reconnects sends the id of the last event that it received as `Last-Event-ID`, which overrides `since`. */
function cursorOf({ query, header }: StreamRequest): number | undefined {
  const sent = header('last-event-id');
  const cursor = sent === undefined ? query.since : Number(sent);
  if (cursor === undefined || (Number.isSafeInteger(cursor) && cursor >= 0)) return cursor;
  const name = sent === undefined ? 'since' : 'Last-Event-ID';
  throw fault('InvalidParameter', { name, reason: `${sent ?? cursor} is not the id of an event` });
}

interface Reading {
  /** Undefined: the stream begins with the next event. */
  readonly cursor: number | undefined;
  readonly filter: EventFilter;
  /** Collects the nodes with new entries in their timelines; undefined unless the request asks for `timelines`. */
  readonly seen: SeenMachines | undefined;
  readonly leave: () => void;
}

// the next batch is read only when the client has taken the previous one, so events never pile up in memory for a slow client
function streamOf(log: EventLog, { cursor: from, filter, seen, leave }: Reading): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const { newestId } = log;
  let cursor = from === undefined || log.hasGapAfter(from) ? newestId : from;
  let isOpen = true;
  const end = () => {
    if (isOpen) leave();
    seen?.stop();
    isOpen = false;
  };
  const takeBatch = () => {
    const batch = log.read(cursor, BATCH, filter);
    cursor = batch.cursor;
    return batch.events.map(textOf).join('') + (seen?.take() ?? '');
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const kind = from !== undefined && log.hasGapAfter(from) ? 'reset' : 'hello';
      const greeting = `retry: ${RETRY_MILLISECONDS}\nevent: ${kind}\nid: ${cursor}\ndata: ${JSON.stringify({ newest: newestId })}\n\n`;
      controller.enqueue(encoder.encode(greeting));
    },
    async pull(controller) {
      let text = takeBatch();
      if (text === '') {
        await log.next(COMMENT_MILLISECONDS, seen?.waiting);
        if (!isOpen) return;
        if (log.closing.aborted) {
          end();
          return controller.close();
        }
        // a comment keeps proxies from closing the connection; sending it fails when the client has gone
        text = takeBatch() || ':\n\n';
      }
      controller.enqueue(encoder.encode(text));
    },
    cancel: end,
  });
}

interface SeenMachines {
  /** Functions to call when there is something to take. */
  readonly waiting: Set<() => void>;
  /** Returns the text of an event, without an id because it cannot be sent again; an empty text when nothing was seen. */
  take(): string;
  stop(): void;
}

/** Collects the nodes with new entries in their timelines (what was seen of their machines), until the stream takes them. */
function seenMachines({ storedWatchers }: Timelines, only: string | undefined): SeenMachines {
  const waiting = new Set<() => void>();
  const seen = new Set<string | null>();
  const watch = (nodes: ReadonlySet<string | null>) => {
    for (const node of nodes) if (only === undefined || node === only) seen.add(node);
    if (seen.size > 0) for (const resume of waiting) resume();
  };
  storedWatchers.add(watch);
  return {
    waiting,
    take() {
      const nodes = [...seen];
      seen.clear();
      return nodes.length === 0 ? '' : `event: timeline\ndata: ${JSON.stringify({ nodes })}\n\n`;
    },
    stop: () => void storedWatchers.delete(watch),
  };
}

// JSON.stringify wrote the body without line breaks
const textOf = ({ id, body }: StoredEvent) => `id: ${id}\ndata: ${body}\n\n`;
