import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { openHttpContent } from '../../../../daemon/boot/http/open-content.ts';
import { createSendFile } from '../../../../daemon/boot/http/send-file.ts';
import { fakeClock } from '../../../fakes/clock.ts';

const MEBIBYTE = 1024 * 1024;

test('a thousand clients that read nothing take less than 128 MiB, and later clients reuse that memory', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'send-file-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'image');
  writeFileSync(file, Buffer.alloc(2 * MEBIBYTE));
  const content = await openHttpContent({ kind: 'file', path: file });
  t.after(() => content.close());
  const { source } = content;
  assert.ok(source.kind === 'file');
  const sendFile = createSendFile(fakeClock());
  const before = process.memoryUsage().arrayBuffers;
  const taken = () => process.memoryUsage().arrayBuffers - before;
  const round = async () => {
    const waiting: (() => void)[] = [];
    const all = Promise.withResolvers<void>();
    const sent = Array.from({ length: 1000 }, () => {
      const response = new Writable({
        highWaterMark: 1,
        write(_, __, done) {
          waiting.push(done);
          if (waiting.length === 1000) all.resolve();
        },
      });
      return sendFile(response as unknown as ServerResponse, source, { start: 0, end: 64 * 1024 });
    });
    await all.promise;
    const held = taken();
    for (const done of waiting) done();
    await Promise.all(sent);
    return held;
  };
  const first = await round();
  assert.ok(first < 128 * MEBIBYTE, `${Math.round(first / MEBIBYTE)} MiB`);
  const second = await round();
  assert.ok(second <= first + MEBIBYTE, `${Math.round(second / MEBIBYTE)} MiB the second time`);
});
