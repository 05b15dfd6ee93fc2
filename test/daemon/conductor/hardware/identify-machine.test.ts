import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifyMachine } from '../../../../daemon/conductor/hardware/identify-machine.ts';
import { startAbleSession, uuidOf } from '../../../fakes/daemon/able-session.ts';

test('a node in enroll is identified, without placeholders and duplicates', async (t) => {
  const session = await startAbleSession(t);
  const call = { services: session.services, caller: null };
  const able = await session.createNode('able-hardware');
  assert.deepEqual(await identifyMachine(call, uuidOf(able)), {
    serialNumbers: ['ABLE1'],
    uuids: ['00112233-4455-6677-8899-aabbccddeeff'],
    macs: ['52:54:00:00:00:01'],
    product: null,
  });
  assert.equal((await session.settled(able)).provision_state, 'enroll');
  const manual = await session.createNode('manual-management');
  await assert.rejects(identifyMachine(call, uuidOf(manual)), { code: 'UnsupportedDriverExtension' });
});
