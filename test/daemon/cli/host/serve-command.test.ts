import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startDaemon } from '../../../../daemon/main.ts';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';
import { fastDirectory } from '../../../fakes/daemon/in-process-daemon.ts';

test('a daemon that receives the stop signal immediately after its start stops cleanly', async () => {
  await using daemon = await DaemonProcess.start();
  await daemon.stop();
  assert.equal(daemon.log.at(-1)?.['msg'], 'stopped');
});

test('a start that fails after the API has begun to listen closes the listener', async (t) => {
  const statePath = mkdtempSync(path.join(fastDirectory(), 'failed-start-'));
  t.after(() => rmSync(statePath, { recursive: true, force: true }));
  let url = '';
  const starting = startDaemon({
    configFile: undefined,
    environment: { IRONIC_DEFAULT__STATE_PATH: statePath, IRONIC_API__PORT: '0' },
    logDestination: {
      write(line) {
        const entry = JSON.parse(line) as { readonly msg?: string; readonly url?: string };
        if (entry.msg !== 'ready') return;
        url = entry.url ?? '';
        throw new Error('the log is full');
      },
    },
  });
  await assert.rejects(starting, /the log is full/);
  assert.match(url, /^http/);
  await assert.rejects(fetch(url), /fetch failed/);
});
