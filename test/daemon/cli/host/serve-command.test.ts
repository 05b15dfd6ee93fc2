import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';

test('a daemon that receives the stop signal immediately after its start stops cleanly', async () => {
  await using daemon = await DaemonProcess.start();
  await daemon.stop();
  assert.equal(daemon.log.at(-1)?.['msg'], 'stopped');
});
