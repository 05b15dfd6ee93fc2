// /v1/images/IMAGE/fetch, /file and /verify: what the daemon keeps of an image, besides its record.
import { startFetch, verifyImage } from '../../conductor/images/fetch-images.ts';
import { receiveUpload, UPLOAD_LIMIT } from '../../conductor/images/receive-upload.ts';
import type { Image } from '../../model/instance/image.ts';
import { fault } from '../../model/faults.ts';
import type { BodyStream } from '../../http/request/streamed-body.ts';
import { recordSchema, type Resource, showReply } from '../../http/resource.ts';
import { type ApiRequest, type Route, route } from '../../http/route.ts';

/** How many clients may follow one fetch. */
const MOST_WATCHERS = 64;
/** Further progress is told when it is more than this. */
const TOLD_BYTES = 1_048_576;
/** So many events wait for a client that does not read; it misses further ones, but not the last. */
const WAITING_EVENTS = 4;

const progressSchema = {
  type: 'object',
  properties: { data: { type: 'string', contentMediaType: 'application/json' } },
} as const;

export function contentRoutes(images: Resource<Image>): readonly Route[] {
  const path = `/v1/${images.path}/:id`;
  const shared = { since: images.since, ...(images.namedIn && { namedIn: images.namedIn }) };
  const imageOf = (request: ApiRequest) => images.find(request, request.parameters['id'] ?? '');
  return [
    route({
      ...shared,
      method: 'POST',
      path: `${path}/fetch`,
      answers: { 202: null },
      handler(request) {
        startFetch(request.services, imageOf(request));
        return { status: 202 };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: `${path}/fetch`,
      media: 'text/event-stream',
      answers: { 200: progressSchema },
      handler: (request) => ({ status: 200, stream: progressOf(request, imageOf(request)) }),
    }),
    route({
      ...shared,
      method: 'PUT',
      path: `${path}/file`,
      query: { checksum: { kind: 'text' } },
      body: { streamed: { type: 'string', format: 'binary' } },
      limit: () => UPLOAD_LIMIT,
      answers: { 200: recordSchema(images) },
      async handler(request) {
        const image = imageOf(request);
        const { bytes, pieces } = request.body as BodyStream;
        const checksum = request.query.checksum?.trim() || null;
        await receiveUpload(request.services, image, { checksum, bytes, pieces });
        return showReply(images, { ...request, query: {} }, images.find(request, image.uuid));
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: `${path}/verify`,
      answers: { 200: recordSchema(images) },
      async handler(request) {
        await verifyImage(request.services, imageOf(request));
        return showReply(images, { ...request, query: {} }, imageOf(request));
      },
    }),
  ];
}

/** Sends the bytes so far while the image is fetched, and its record's state at the end. */
function progressOf({ services }: ApiRequest, { uuid }: Image): ReadableStream<Uint8Array> {
  const fetch = services.images.fetches.of(uuid);
  const stateNow = () => {
    const { state = 'known', error = null, sha256 = null, bytes = null } = services.db.images.get(uuid) ?? {};
    return eventOf({ state, error, sha256, bytes });
  };
  if (fetch === undefined) return new Blob([stateNow()]).stream();
  if (fetch.watchers.size >= MOST_WATCHERS)
    throw fault('TooManyStreams', {
      what: 'streams of the progress of an image',
      limit: MOST_WATCHERS,
      own: MOST_WATCHERS,
    });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(
    {},
    new CountQueuingStrategy({ highWaterMark: WAITING_EVENTS }),
  );
  const writer = writable.getWriter();
  const stop = () => void fetch.watchers.delete(tell);
  let told = -TOLD_BYTES;
  const tell = () => {
    const { bytes } = fetch.progress;
    if (fetch.isEnded) {
      stop();
      void writer.write(stateNow()).catch(stop);
      void writer.close().catch(stop);
    } else if (Math.abs(bytes - told) >= TOLD_BYTES && (writer.desiredSize ?? 0) > 0) {
      // for a client that does not read, nothing piles up
      told = bytes;
      void writer.write(eventOf({ state: 'fetching', ...fetch.progress })).catch(stop);
    }
  };
  fetch.watchers.add(tell);
  void writer.closed.catch(stop);
  tell();
  return readable;
}

const eventOf = (event: object) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);
