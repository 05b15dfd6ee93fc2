import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelAndRamdisk } from '../../../../daemon/conductor/boot/kernel-and-ramdisk.ts';

const named = { kernel: 'file:///images/amd64/agent.kernel', ramdisk: 'file:///images/amd64/agent.ramdisk' };

test('kernel and ramdisk are of one image, also when the link changes between the two', async () => {
  let image = 'old';
  const fetched: string[] = [];
  const pair = await kernelAndRamdisk(named, async (reference, part) => {
    const path = `${image}/${part}`;
    fetched.push(reference);
    image = 'new';
    return path;
  });
  assert.deepEqual(pair, { kernel: 'new/kernel', ramdisk: 'new/ramdisk' });
  assert.equal(fetched.length, 6);
});

test('images of a web server are asked for once', async () => {
  const fetched: string[] = [];
  const fetch = async (reference: string) => {
    fetched.push(reference);
    return `${fetched.length}`;
  };
  assert.deepEqual(await kernelAndRamdisk({ kernel: 'http://k', ramdisk: 'http://r' }, fetch), {
    kernel: '1',
    ramdisk: '2',
  });
  assert.deepEqual(await kernelAndRamdisk({ kernel: 'file:///k', ramdisk: null }, fetch), {
    kernel: '3',
    ramdisk: null,
  });
  assert.deepEqual(fetched, ['http://k', 'http://r', 'file:///k']);
});
