import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import type { MessageKind } from '../../../../../daemon/plugin-host/isolation/border/credit.ts';
import { Peer } from '../../../../../daemon/plugin-host/isolation/border/peer.ts';
import { fakeClock } from '../../../../fakes/clock.ts';

test('what a plugin sends is charged as a question, a message that needs no answer, or an answer to the daemon', async (t) => {
  const [near, far] = duplexPair();
  const charged: MessageKind[] = [];
  const side = { clock: fakeClock(), answer: async () => ({ value: 'answer' }), lost: () => undefined };
  const credit = {
    charge(_: number, kind: MessageKind) {
      charged.push(kind);
      return 0;
    },
    end: () => undefined,
  };
  const daemon = new Peer(near, { ...side, is: 'daemon', credit });
  const plugin = new Peer(far, { ...side, is: 'plugin' });
  t.after(() => {
    for (const peer of [daemon, plugin]) peer.close(new Error('the test has ended'));
  });
  await plugin.ask({ value: { a: 'question' } });
  plugin.tell({ a: 'line of the log' });
  await daemon.ask({ value: { of: 'the daemon' } });
  assert.deepEqual(charged, ['question', 'line', 'answer']);
});
