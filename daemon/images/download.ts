// Downloads images with the daemon's HTTP client, only when they have changed on their server.
import type { Clock } from '../lib/clock.ts';
import { HttpClient } from '../lib/http-client/http-client.ts';
import type { HttpReply } from '../lib/http-client/received.ts';
import type { Downloader, Version } from './image-store.ts';

const TIMEOUT_SECONDS = 3600;
const LARGEST_BYTES = 64 * 1024 ** 3;
const REDIRECTS = 5;

/** User and password in a URL go to its server only: a redirect to another one is refused. */
export const downloaderOf =
  (clock: Clock): Downloader =>
  async ({ url, known, write, signal }) => {
    const client = new HttpClient({ url, clock });
    try {
      const reply = await client.send({
        url,
        headers: { accept: '*/*', 'accept-encoding': 'identity', ...conditionsOf(known) },
        timeoutSeconds: TIMEOUT_SECONDS,
        largestReplyBytes: LARGEST_BYTES,
        redirects: REDIRECTS,
        sink: write,
        signal,
      });
      if (reply.status === 304) return { kind: 'unchanged' };
      if (reply.status !== 200) throw new Error(`its server answered ${reply.status}`);
      return { kind: 'downloaded', version: versionOf(reply) };
    } finally {
      client.close();
    }
  };

const conditionsOf = ({ etag, lastModified }: Version): Readonly<Record<string, string>> => ({
  ...(etag !== undefined && { 'if-none-match': etag }),
  ...(etag === undefined && lastModified !== undefined && { 'if-modified-since': lastModified }),
});

function versionOf({ headers }: HttpReply): Version {
  const [etag] = headers['etag'] ?? [];
  const [lastModified] = headers['last-modified'] ?? [];
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}
