// A firmware image as the body of a request: raw, or as the file of a form (multipart/form-data, as Redfish defines it).
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileCopy } from '#plugin-api';
import type { Upload } from '../bmc/bmc-session.ts';
import type { Update } from './requested-updates.ts';

/** A BMC can be as slow as this; the time limit of an upload allows for that, and for the BMC's answer. */
const SLOWEST_BYTES_PER_SECOND = 100_000;
const ANSWER_SECONDS = 300;

const timeoutSeconds = (bytes: number): number =>
  ANSWER_SECONDS + Math.ceil(bytes / SLOWEST_BYTES_PER_SECOND);

export const asRawFile = ({ path, bytes }: FileCopy): Upload => ({
  contentType: 'application/octet-stream',
  bytes,
  timeoutSeconds: timeoutSeconds(bytes),
  open: () => createReadStream(path),
});

/**
 * The name of the file is that of the component, because the name in the operator's URL could contain characters that end the
 * header.
 */
export function asFormData({ path, bytes }: FileCopy, { component }: Update): Upload {
  const boundary = randomUUID();
  const part = (name: string, type: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${type}\r\n\r\n`;
  const file = `; filename="${component.replace(/[^a-z]/g, '-')}.bin"\r\nContent-Type: application/octet-stream`;
  const parameters = part('UpdateParameters', '\r\nContent-Type: application/json');
  const head = Buffer.from(`${parameters}{}\r\n${part('UpdateFile', file)}`);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: head.length + bytes + tail.length,
    timeoutSeconds: timeoutSeconds(bytes),
    async *open() {
      yield head;
      yield* createReadStream(path);
      yield tail;
    },
  };
}
