import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type NodeChanges, nodeFields } from '../../../daemon/model/records/node.ts';
import { columnsOf } from '../../../daemon/db/tables/rows.ts';
import { fakeNode } from '../../fakes/task.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

test('any node is read back unchanged', async (t) => {
  const { services } = await startInProcess(t);
  const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('-0'));
  const object = fc.dictionary(fc.string(), json);
  // SQLite ends text at a NUL, and UTF-8 cannot encode lone surrogates
  const text = fc.string({ unit: 'grapheme' });
  const record = fc.record({
    driver_info: object,
    extra: object,
    description: fc.option(text),
    last_error: text,
    maintenance: fc.boolean(),
    automated_clean: fc.option(fc.boolean()),
  });
  let at = 0;
  fc.assert(
    fc.property(record, (fields) => {
      at += 1;
      const uuid = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
      const node = fakeNode({ ...(fields as NodeChanges), uuid });
      services.db.nodes.insert(node);
      assert.equal(JSON.stringify(services.db.nodes.get(uuid)), JSON.stringify(inColumnOrder(node)));
    }),
    { numRuns: 60, seed: 3 },
  );
});

const inColumnOrder = (node: object) =>
  Object.fromEntries(
    columnsOf(nodeFields).names.map((name) => [name, (node as Record<string, unknown>)[name] ?? null]),
  );

test('nodes.move changes only the given columns, and only if the node is in the expected state', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ name: 'n' });
  const { nodes } = daemon.services.db;
  assert.equal(nodes.move(uuid, { from: 'active', event: 'fail' }, { provision_state: 'error' }), false);
  assert.equal(nodes.get(uuid)?.provision_state, 'enroll');
  assert.equal(nodes.move(uuid, { from: 'enroll', event: 'manage' }, { provision_state: 'verifying' }), true);
  assert.deepEqual([nodes.get(uuid)?.provision_state, nodes.get(uuid)?.name], ['verifying', 'n']);
  assert.equal(nodes.update('nobody', { name: 'x' }), false);
});

test('a failed transaction changes nothing', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const { db } = daemon.services;
  assert.throws(
    () =>
      db.transaction(() => {
        db.nodes.update(uuid, { name: 'half' });
        throw new Error('no');
      }),
    /no/,
  );
  assert.equal(daemon.node(uuid).name, null);
});
