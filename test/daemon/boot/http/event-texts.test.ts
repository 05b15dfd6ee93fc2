import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notServedText, sentText, stoppedText } from '../../../../daemon/boot/http/event-texts.ts';
import { secretName } from '../../../../daemon/boot/secret-names.ts';

const address = '10.0.0.21';

test('events name the file and its size in a readable unit', () => {
  const whole = { skipped: 0, address };
  assert.equal(
    sentText({ ...whole, name: 'snponly.efi', bytes: 173_792 }),
    'sent snponly.efi (173,792 bytes) to 10.0.0.21',
  );
  assert.equal(
    sentText({ ...whole, name: 'deploy_kernel', bytes: 12_345_678 }),
    'sent deploy_kernel (12 MB) to 10.0.0.21',
  );
  assert.equal(
    sentText({ name: 'image', bytes: 1_500_000, skipped: 102_500_000, address }),
    'sent image (the last 1.5 MB of 104 MB) to 10.0.0.21',
  );
  assert.equal(stoppedText('image', 3_100_000, 104_000_000), 'stopped receiving image after 3.1 of 104 MB');
  assert.equal(stoppedText('script', 0, 5120), 'stopped receiving script after 0 of 5,120 bytes');
});

test('events quote a name with unusual characters, cut a long one, and hide the random part of a secret one', () => {
  assert.equal(notServedText('a\nb'), 'asked for "a\\nb", which is not served');
  assert.ok(notServedText('x'.repeat(10_000)).length < 300);
  assert.equal(notServedText(undefined), 'asked with a malformed URL');
  assert.equal(
    notServedText(secretName('config_drive')),
    'asked for secret/***/config_drive, which is not served',
  );
});
