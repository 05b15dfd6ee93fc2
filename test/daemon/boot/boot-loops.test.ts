import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BootLoops } from '../../../daemon/boot/boot-loops.ts';
import { fakeClock } from '../../fakes/clock.ts';

const client = {
  mac: '52:54:00:00:00:01',
  stage: 'uefi-pxe',
  firmware: 'uefi',
  architecture: 'x86_64',
} as const;

test('a boot loop is five boots within the last ten minutes, and older boots do not count', async () => {
  const clock = fakeClock();
  const loops = new BootLoops(clock);
  const found: number[] = [];
  for (const minutes of [0, 7, 8, 9, 11, 12, 40, 43, 46, 49, 52]) {
    await clock.advance(minutes * 60_000 - clock.monotonic());
    if (loops.countReply({ client, file: 'snponly.efi' })) found.push(minutes);
  }
  assert.deepEqual(found, [12]);
});
