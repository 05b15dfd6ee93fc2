// How files and bytes are read for a transfer, and which files are not opened.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  appendFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { type TftpContent, openTftpContent } from '../../../../daemon/boot/tftp/content.ts';
import { asNetascii } from '../../../../daemon/boot/tftp/netascii.ts';
import { acknowledgement, described, readByTftp, readRequest } from '../../../fakes/boot/tftp-peer.ts';
import { askedBy, startTftp } from '../../../fakes/boot/tftp-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'tftp-content-'));
after(() => rmSync(folder, { recursive: true }));

const place = (name: string) => join(folder, name);
const written = (name: string, content: Uint8Array): string => {
  writeFileSync(place(name), content);
  return place(name);
};

/** All of the content, read into views of these sizes in turn. */
async function drained(content: TftpContent, sizes: readonly number[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (;;) {
    const views = sizes.map((size) => Buffer.alloc(size));
    const found = await content.read(views);
    parts.push(Buffer.concat(views).subarray(0, found));
    if (found < sizes.reduce((sum, size) => sum + size, 0)) break;
  }
  await content.close();
  return Buffer.concat(parts);
}

const content = fc.uint8Array({ maxLength: 3000 });
const sizes = fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 5 });

test('a file and bytes are read completely, into buffers of any sizes', async () => {
  await fc.assert(
    fc.asyncProperty(content, sizes, async (bytes, views) => {
      const path = written('any', bytes);
      for (const served of [{ kind: 'file', path } as const, { kind: 'bytes', bytes } as const]) {
        const opened = await openTftpContent(served);
        assert.equal(opened.sizeBytes, bytes.length);
        assert.deepEqual(await drained(opened, views), Buffer.from(bytes));
      }
    }),
  );
});

test('netascii turns LF into CR LF and CR into CR NUL, also across the ends of buffers', async () => {
  const text = fc.array(fc.constantFrom('a', '\r', '\n', '\0', '\r\n'), { maxLength: 400 });
  await fc.assert(
    fc.asyncProperty(text, sizes, async (parts, views) => {
      const bytes = Buffer.from(parts.join(''));
      const opened = asNetascii(await openTftpContent({ kind: 'bytes', bytes }));
      assert.equal(opened.sizeBytes, undefined);
      const expected = parts.join('').replaceAll('\r', '\r\0').replaceAll('\n', '\r\n');
      assert.equal((await drained(opened, views)).toString(), expected);
    }),
  );
});

test('content larger than the conversion buffer is converted to netascii completely', async () => {
  const bytes = Buffer.alloc(200_000, 'line\n');
  const opened = asNetascii(await openTftpContent({ kind: 'bytes', bytes }));
  assert.equal((await drained(opened, [1468, 1468])).toString(), 'line\r\n'.repeat(40_000));
});

test('netascii is sent without a size', async () => {
  using tftp = await startTftp({ files: { text: { kind: 'bytes', bytes: Buffer.from('a\n') } } });
  using asked = await askedBy(tftp.address, readRequest('text', ['tsize', 0], 'netascii'));
  assert.deepEqual(asked.first.bytes.subarray(4), Buffer.from('a\r\n'));
});

test('a pipe, a link, a device, a directory and a missing file are refused, and a regular file is still served', async () => {
  execFileSync('mkfifo', [place('pipe')]);
  symlinkSync(written('target', Buffer.from('x')), place('link'));
  mkdirSync(place('directory'));
  const paths = {
    pipe: place('pipe'),
    link: place('link'),
    device: '/dev/zero',
    directory: folder,
    missing: place('none'),
  };
  const files = Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [name, { kind: 'file', path } as const]),
  );
  using tftp = await startTftp({ files: { ...files, target: { kind: 'file', path: place('target') } } });
  for (let round = 0; round < 6; round += 1)
    for (const name of Object.keys(paths))
      await assert.rejects(readByTftp(tftp.address, name), /cannot be read/, name);
  assert.equal(String(await readByTftp(tftp.address, 'target')), 'x');
});

test('the transfer of a file that becomes shorter while it is sent ends with an error', async () => {
  const path = written('shrinking', Buffer.alloc(400_000));
  using tftp = await startTftp({ files: { shrinking: { kind: 'file', path } } });
  using asked = await askedBy(tftp.address, readRequest('shrinking'));
  truncateSync(path, 1000);
  let packet = asked.first;
  for (let block = 1; packet.bytes.readUInt16BE(0) === 3; block += 1) {
    asked.peer.send(acknowledgement(block), packet.from);
    packet = await asked.peer.next();
  }
  assert.equal(described(packet.bytes), 'error 0');
  await tftp.settled();
  assert.deepEqual(tftp.texts, [`did not get all of shrinking: ${path} became shorter while it was sent`]);
});

test('a file that grows and is then replaced is sent as it was when it was asked for', async () => {
  const path = written('growing', Buffer.alloc(400_000, 'a'));
  using tftp = await startTftp({ files: { growing: { kind: 'file', path } } });
  using asked = await askedBy(tftp.address, readRequest('growing', ['tsize', 0, 'blksize', 1468]));
  assert.equal(described(asked.first.bytes), 'oack blksize=1468 tsize=400000');
  appendFileSync(path, 'b'.repeat(5000));
  renameSync(written('other', Buffer.from('c')), path);
  asked.peer.send(acknowledgement(0), asked.first.from);
  const parts: Buffer[] = [];
  for (let block = 1; ; block += 1) {
    const { bytes, from } = await asked.peer.next();
    parts.push(bytes.subarray(4));
    asked.peer.send(acknowledgement(block), from);
    if (bytes.length < 1472) break;
  }
  assert.equal(Buffer.concat(parts).toString(), 'a'.repeat(400_000));
});
