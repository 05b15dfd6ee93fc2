import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

test('a running conductor records the interfaces and defaults of its hardware types', async (t) => {
  const daemon = await startInProcess(t);
  const { db } = daemon.services;
  const offers = db.conductors.offersOfOthers('somebody else');
  const power = offers.filter(
    (one) => one.hardware_type === 'fake-hardware' && one.interface_type === 'power',
  );
  assert.deepEqual(power, [
    {
      hostname: 'lab-host',
      hardware_type: 'fake-hardware',
      interface_type: 'power',
      interface_name: 'fake',
      is_default: true,
    },
  ]);
  assert.deepEqual(
    new Set(offers.map((one) => one.hardware_type)),
    new Set(['fake-hardware', 'manual-management', 'lab', 'ipmi']),
  );
  assert.deepEqual(db.conductors.offersOfOthers('lab-host'), []);
});

test('a clean stop removes the conductor record, and the next conductor logs no warning', async (t) => {
  const first = await startInProcess(t);
  const { stateDirectory } = first;
  await first.stop();
  const renamed = await startInProcess(t, { stateDirectory, ini: 'host = other-host\n' });
  assert.doesNotMatch(renamed.log(), /different interfaces/);
  const { db } = renamed.services;
  assert.deepEqual(db.conductors.offersOfOthers('other-host'), [], 'the first conductor removed its record');
  await renamed.stop();
});

test('another conductor with different interfaces is logged once per hardware type', async (t) => {
  const first = await startInProcess(t);
  const { stateDirectory, services } = first;
  const left = services.db.conductors.offersOfOthers('nobody');
  await first.stop();
  const options = { stateDirectory, ini: 'host = other-host\n' };
  const again = await startInProcess(t, options);
  again.services.db.conductors.putOffers(
    'lab-host',
    left.filter(({ interface_name }) => interface_name !== 'ipmitool'),
  );
  await again.stop();
  const warned = await startInProcess(t, options);
  const lines = warned
    .log()
    .split('\n')
    .filter((line) => line.includes('offers different interfaces'));
  assert.equal(lines.length, 1);
  assert.partialDeepStrictEqual(JSON.parse(lines[0] ?? ''), {
    level: 'warn',
    conductor: 'lab-host',
    hardware_type: 'ipmi',
    only_there: [],
    only_here: ['management:ipmitool', 'power:ipmitool'],
  });
});
