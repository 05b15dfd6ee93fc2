import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailedLogins } from '../../../../daemon/http/login/failed-logins.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { fakeLogger, type LogLine } from '../../../fakes/task.ts';

test('at most 20 failed logins a minute are logged, and the others are counted', async () => {
  const lines: LogLine[] = [];
  const clock = fakeClock();
  const report = createFailedLogins({ clock, log: fakeLogger(lines) });
  for (let attempt = 0; attempt < 50; attempt += 1) report(`user-${attempt}`, '192.0.2.1');
  assert.equal(lines.length, 20);
  await clock.advance(60_000);
  report('x'.repeat(5000), null);
  report('ann', '2001:db8::1');
  assert.deepEqual(
    lines.slice(20).map(({ fields }) => fields),
    [
      { user: 'x'.repeat(100), client: null, unlogged: 30 },
      { user: 'ann', client: '2001:db8::1' },
    ],
  );
});
