// Error texts that the tests of ironicclient, tempest and gophercloud expect.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

const step = { interface: 'bios', step: 'factory_reset', args: {}, priority: 10 };
const WRONG_UUID = '!@#$^*&%^';

type Sent = readonly [method: string, path: string, body: unknown];
const create = (resource: string, body: object): Sent => ['POST', `/v1/${resource}`, body];
const patch = (operation: object): Sent => ['PATCH', '/v1/nodes/one', [operation]];

const refused: readonly (readonly [text: string, status: number, sent: Sent])[] = [
  ['Expected UUID for uuid', 400, create('nodes', { driver: 'fake-hardware', uuid: WRONG_UUID })],
  ['Expected UUID for uuid', 400, create('allocations', { resource_class: 'x', uuid: WRONG_UUID })],
  [
    'Expected UUID for uuid',
    400,
    create('deploy_templates', { name: 'CUSTOM_A', steps: [step], uuid: WRONG_UUID }),
  ],
  ['invalid name', 400, create('allocations', { resource_class: 'x', name: 'not/a/name' })],
  ['is too long', 400, create('allocations', { resource_class: 'x'.repeat(81) })],
  ['does not match', 400, create('allocations', { resource_class: 'x', traits: ['foo'] })],
  [
    'Nodes cannot be found',
    400,
    create('allocations', { resource_class: 'x', candidate_nodes: ['banana?', 'one'] }),
  ],
  ['does not match', 400, create('deploy_templates', { name: 'foo', steps: [step] })],
  ['does not match', 400, create('deploy_templates', { name: 'not/a/name', steps: [step] })],
  ['is too short', 400, create('deploy_templates', { name: 'CUSTOM_A', steps: [] })],
  [
    'No valid host was found. Reason: No conductor service registered which supports driver wrongdriver.',
    400,
    create('nodes', { driver: 'wrongdriver' }),
  ],
  ["Reason: can't remove a non-existent object", 400, patch({ op: 'remove', path: '/properties/prop' })],
  ["can't replace a non-existent object", 400, patch({ op: 'replace', path: '/extra/a', value: 1 })],
];

const volumes = {
  connector: { type: 'iqn', connector_id: 'iqn.2017-07.org.openstack:01' },
  target: { volume_type: 'iscsi', volume_id: 'vol-1', boot_index: 0 },
};
suite('error texts that clients expect', async () => {
  const daemon = await startInProcess({ after });
  const { uuid: node } = await daemon.createNode({ name: 'one' });

  for (const [text, status, sent] of refused) {
    test(`${JSON.stringify(sent).slice(0, 110)} is refused with "${text}"`, async () => {
      const [method, path, body] = sent;
      const answer = await daemon.request(method, path, { body });
      assert.equal(answer.status, status, answer.text);
      assert.ok(answer.fault.includes(text), answer.fault);
    });
  }

  test('the refusal of an allocation names every unknown candidate node', async () => {
    const body = { resource_class: 'x', candidate_nodes: ['banana?', 'one', 'nobody'] };
    const { fault } = await daemon.request('POST', '/v1/allocations', { body });
    assert.match(fault, /Nodes cannot be found: banana\?, nobody$/);
  });

  test('an allocation without a match fails with "no available nodes match the resource class"', async () => {
    const { body } = await daemon.request('POST', '/v1/allocations', {
      body: { resource_class: 'baremetal' },
    });
    await daemon.idle();
    const { body: allocation } = await daemon.request('GET', `/v1/allocations/${body.uuid}`);
    assert.match(String(allocation['last_error']), /no available nodes match the resource class baremetal/);
  });

  for (const [kind, fields] of Object.entries(volumes)) {
    test(`refused requests for volume ${kind}s have the error texts that tempest expects`, async () => {
      const path = `/v1/volume/${kind}s`;
      const body = { node_uuid: node, ...fields };
      const { body: created } = await daemon.request('POST', path, { body });
      const again = await daemon.request('POST', path, { body });
      assert.match(again.fault, new RegExp(`A volume ${kind} .*already exists`));
      daemon.services.db.nodes.update(node, { power_state: 'power on' });
      const one = `${path}/${created.uuid}`;
      const deletion = await daemon.request('DELETE', one);
      const update = await daemon.request('PATCH', one, {
        body: [{ op: 'add', path: '/extra/a', value: 1 }],
      });
      for (const [answer, what] of [
        [deletion, 'deletion'],
        [update, 'update'],
      ] as const) {
        const text = `The requested action "volume ${kind} ${what}" can not be performed on node`;
        assert.equal(answer.status, 400, answer.text);
        assert.ok(answer.fault.startsWith(text), answer.fault);
      }
    });
  }
});
