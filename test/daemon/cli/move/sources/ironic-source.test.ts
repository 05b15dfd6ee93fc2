import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectIronic } from '../../../../../daemon/cli/move/engine/ironic-service.ts';
import { ironicSource, readCredentials } from '../../../../../daemon/cli/move/sources/ironic-source.ts';
import { enrolNode, startListening } from '../../../../fakes/daemon/listening-daemon.ts';

test('a machine whose password the API masks is refused unless the credentials file has a line for it', async (t) => {
  const { url } = await startListening(t, {
    environment: { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware' },
  });
  const driver_info = { ipmi_address: '192.0.2.1', ipmi_password: 'secret' };
  const uuid = await enrolNode(url, { driver: 'fake-hardware', name: 'one', driver_info });
  const ironic = await connectIronic(url, {});
  const reading = (lines: string) =>
    ironicSource(ironic, readCredentials('file', `node,ipmi_password\n${lines}`), 'ironic-edge').read(uuid);
  await assert.rejects(
    reading('other,secret'),
    /masks driver_info ipmi_password: give Ironic's database with --database, or a file with --cred/,
  );
  for (const name of ['one', uuid])
    assert.deepEqual((await reading(`${name},"sec,ret"`)).node.driver_info, {
      ...driver_info,
      ipmi_password: 'sec,ret',
    });
  for (const text of ['', 'name,ipmi_password\n', 'node\none\n'])
    assert.throws(() => readCredentials('file', text), /--credentials file: expected a first line such as/);
});
