import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { ownSignal } from '../../../daemon/lib/abort-signals.ts';

test('the signal of ownSignal aborts when one of its sources does, with the same reason, and leaves no listener on them', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const own = ownSignal(first.signal, second.signal);
  assert.equal(own.aborted, false);
  const reason = new Error('enough');
  second.abort(reason);
  assert.equal(own.reason, reason);
  for (const { signal } of [first, second]) assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('if a source is aborted already, the signal is aborted from the start, with the reason of that source', () => {
  const reason = new Error('earlier');
  assert.equal(ownSignal(new AbortController().signal, AbortSignal.abort(reason)).reason, reason);
});

test('an event on the signal does not reach its sources', () => {
  const source = new AbortController();
  let heard = 0;
  source.signal.addEventListener('abort', () => (heard += 1));
  ownSignal(source.signal).dispatchEvent(new Event('abort'));
  assert.deepEqual([heard, source.signal.aborted], [0, false]);
});
