// Metrics, events and webhooks.
import { typed } from '../../lib/json/typed-schema.ts';
import { integer, list, networks, pathOrNull, section } from './typed-options.ts';

export const observeSections = {
  metrics: section({
    allow_from: networks(
      'The networks from which /metrics may be read without a login, as in 192.0.2.10/32; for Prometheus. Empty: it needs a login like the API.',
    ),
  }),
  events: section({
    keep: integer(
      20_000,
      { minimum: 1000, maximum: 1_000_000 },
      'How many events are kept for streams and webhooks that are behind; each takes 2 to 4 KiB in the database.',
    ),
  }),
  webhooks: section({
    urls: list(
      [],
      'The URLs that every event is sent to by POST, in order, signed with secret_file. What cannot be delivered is tried again for a day. Empty: none.',
    ),
    secret_file: pathOrNull(
      'The file with the secret that signs webhooks, needed with urls: whsec_ and base64 of 24 to 64 bytes, as the Standard Webhooks libraries take it. Other users of this machine must not have access to it.',
    ),
    level: typed<'info' | 'error'>({
      type: 'string',
      enum: ['info', 'error'],
      default: 'info',
      description: 'The lowest priority of events that are sent.',
    }),
  }),
};
