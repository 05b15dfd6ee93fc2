import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';

test('the API keeps answering while the log is not read, and no log line is lost', async () => {
  await using daemon = await DaemonProcess.start();
  const reading = daemon.stopReading();
  // the log lines of all these requests are several times as long as the pipe's buffer
  const path = `/v1/nodes/${'x'.repeat(8000)}`;
  const requests = Array.from({ length: 100 }, (_, number) => number);
  for (const _ of requests) {
    const { status } = await daemon.request('DELETE', path);
    assert.equal(status, 400);
  }
  assert.ok(daemon.log.length < requests.length, 'the log was read');
  reading.resume();
  let read = 0;
  // long texts are truncated in the log
  const isOurs = (line: Readonly<Record<string, unknown>>) =>
    line['msg'] === 'request' && String(line['path']).startsWith(path.slice(0, 4000));
  await daemon.logged((line) => isOurs(line) && (read += 1) === requests.length);
});
