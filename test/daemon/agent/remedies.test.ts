import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommand } from '../../../daemon/agent/replies.ts';

const failed = (type: string, details: string) =>
  readCommand({ id: '1', command_name: 'x', command_status: 'FAILED', command_error: { type, details } })
    ?.error;

test('an error of the agent is followed by what an operator can do about it', () => {
  assert.equal(
    failed('ImageChecksumError', 'The image is another'),
    'The image is another. Correct the checksum in instance_info, or the image on its server.',
  );
  assert.match(failed('CommandExecutionError', "HTTPConnectionPool(host='x')") ?? '', /Check image_source/);
  assert.match(failed('ImageDownloadError', '[Errno 28] No space left') ?? '', /larger than the disk/);
  assert.match(failed('ImageDownloadError', 'Something else') ?? '', /Check image_source/);
  const full = 'Unable to write: [Errno 28] No space left on device';
  assert.match(failed('ImageDownloadOutofSpaceError', full) ?? '', /The ramdisk has too little memory/);
});

test('an error of the agent that nothing is known about is shown as it is', () => {
  assert.equal(failed('CommandExecutionError', 'Something else'), 'Something else');
});
