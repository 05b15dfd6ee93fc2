import assert from 'node:assert/strict';
import { test } from 'node:test';
import { responseHead } from '../../../../daemon/boot/http/response-head.ts';

test('header names are spelt as GRUB expects them: GRUB compares Content-Length case-sensitively', () => {
  const content = { size: 10, etag: '"tag"', modified: 0 };
  const asked = { method: 'GET', headers: { range: 'bytes=2-5' }, name: 'snponly.efi' };
  assert.deepEqual(responseHead(asked, content), {
    status: 206,
    headers: {
      'Accept-Ranges': 'bytes',
      ETag: '"tag"',
      'Last-Modified': 'Thu, 01 Jan 1970 00:00:00 GMT',
      'Content-Type': 'application/efi',
      'Content-Length': 4,
      'Content-Range': 'bytes 2-5/10',
    },
    part: { start: 2, end: 6 },
  });
});
