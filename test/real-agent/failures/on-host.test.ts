// Failures of deployments in which the daemon fetches the image, before the machine is switched on.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { disk, MEBIBYTE, qemuImage } from '../../fakes/images.ts';
import { skip } from '../site.ts';
import { answer, type Failure, fails, half, local, PAGE, ROOM_MEBIBYTES, siteOf } from './failing.ts';

const failures: readonly Failure[] = [
  {
    title: 'an image that is cut off',
    respond: (image) => answer(200, image.subarray(0, MEBIBYTE)),
    error: /its sha256 is [0-9a-f]{64}, expected [0-9a-f]{64}$/,
  },
  {
    title: 'an image server that dies in the middle',
    respond: half,
    error: /its reply does not have the length that its header says$/,
  },
  {
    title: 'an image server that denies the image',
    respond: () => answer(403, 'no'),
    error: /its server answered 403$/,
  },
  {
    title: 'a web page instead of an image',
    content: () => Buffer.from(PAGE),
    error: /it is text, such as a web page; check the URL$/,
  },
  {
    title: 'an image of another format than declared',
    content: (t) => qemuImage(t, 'qcow2', disk()),
    error: /its format is qcow2, but instance_info\/image_disk_format says raw$/,
  },
  {
    title: 'an image cache without room for the image',
    content: () => disk('large', ROOM_MEBIBYTES * 2 * MEBIBYTE),
    error: /the disk of \S+ is full \(\d+ MiB free, .*\); free some space$/,
  },
];

/** What is wrong without a look at the image. */
const refusals: readonly (readonly [title: string, image: string, reason: RegExp])[] = [
  [
    'an image file outside the allowed folders',
    'file:///etc/passwd',
    /400.*it is not below a directory of \[conductor\] file_url_allowed_paths/,
  ],
  [
    'an image server outside the allowed networks',
    'http://169.254.169.254/disk',
    /400.*169\.254\.169\.254 is not in 127\.0\.0\.0\/8 \(\[conductor\] image_server_networks\)/,
  ],
];

describe('a deployment of an image that the daemon fetches', { skip, concurrency: 4 }, () => {
  const site = siteOf();
  for (const failure of failures)
    it(`fails with ${failure.title}, and the machine stays off`, async (t) => {
      const node = await fails(t, site(), {
        ...failure,
        instance_info: { ...local, ...failure.instance_info },
      });
      assert.equal(node.machine.runs, 'nothing');
    });
  for (const [title, image_source, reason] of refusals)
    it(`is refused with ${title}, and the machine stays off`, async (t) => {
      const image = { image_source, image_checksum: 'a'.repeat(64), image_disk_format: 'raw' };
      const node = await site().enrol(t, { instance_info: { ...image, ...local } });
      await node.makeAvailable();
      await assert.rejects(node.ask('active'), reason);
      assert.equal(node.machine.runs, 'nothing');
    });
});
