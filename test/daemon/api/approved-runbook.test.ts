// Which runbooks may be used on a node.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { approvedRunbook } from '../../../daemon/api/approved-runbook.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';
import { throwsFault } from '../../fakes/faults.ts';

const uuid = '8f4d2f0e-6d1c-4e63-9a83-66ce7e3a1b11';

suite('approved runbooks', async () => {
  const session = await startInProcess({ after });
  before(async () => {
    for (const [name, traits] of [
      ['CUSTOM_BARE', []],
      ['CUSTOM_BOOK', ['CUSTOM_A', 'CUSTOM_C']],
    ] as const) {
      const body = { name, steps: [{ interface: 'raid', step: 'delete_configuration', order: 1 }] };
      assert.equal((await session.request('POST', '/v1/runbooks', { body })).status, 201);
      const path = `/v1/runbooks/${name}/traits`;
      assert.equal((await session.request('PUT', path, { body: { traits } })).status, 204);
    }
  });

  const approved = (name: string, traits: readonly string[], minor: number) =>
    approvedRunbook(session.services, name, { uuid, traits }, minor).name;

  test('since 1.112 a runbook is approved for nodes with one of its traits', () => {
    assert.equal(approved('CUSTOM_BOOK', ['CUSTOM_B', 'CUSTOM_C'], 112), 'CUSTOM_BOOK');
    throwsFault(
      () => approved('CUSTOM_BOOK', ['CUSTOM_BOOK'], 112),
      400,
      /CUSTOM_BOOK is not approved for node 8f4d.*the node has none of .+ \(CUSTOM_A, CUSTOM_C\)/,
    );
  });

  test('since 1.112 a runbook without traits is approved for no node', () => {
    throwsFault(() => approved('CUSTOM_BARE', ['CUSTOM_BARE'], 112), 400, /the runbook has no traits/);
  });

  test('before 1.112 a runbook is approved for nodes with its name as a trait', () => {
    assert.equal(approved('CUSTOM_BARE', ['CUSTOM_BARE'], 111), 'CUSTOM_BARE');
    throwsFault(() => approved('CUSTOM_BOOK', ['CUSTOM_A'], 111), 400, /name is not among the node's traits/);
  });

  test('a runbook is found by name or UUID, and an unknown one returns 404', () => {
    const stored = session.services.db.runbooks.findBy('name', 'CUSTOM_BOOK');
    assert.equal(approved(stored?.uuid ?? '', ['CUSTOM_A'], 115), 'CUSTOM_BOOK');
    throwsFault(() => approved('nothing', [], 115), 404, /Runbook nothing could not be found/);
    throwsFault(() => approved('a b', [], 115), 400, /Expected a logical name or UUID/);
  });
});
