import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { nodeCommand } from '../../../../daemon/cli/nodes/node-command.ts';
import { profileCommand } from '../../../../daemon/cli/records/profile-command.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';

test('profile create takes the options of node deploy, and node deploy --profile uses what they said', async (t) => {
  const { url, services } = await startListening(t, {});
  const folder = mkdtempSync(path.join(tmpdir(), 'profile-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const userData = path.join(folder, 'web.sh');
  writeFileSync(userData, '#!/bin/sh\ntrue\n');
  const profile = (...words: string[]) =>
    runCommand((context) => profileCommand(words, context), { OS_ENDPOINT: url });
  const image = ['--image', 'http://images.test/d.img', '--image-checksum', 'http://images.test/SUMS'];
  const made = await profile('create', 'web', ...image, '--hostname', 'web-{n}', '--user-data', userData);
  assert.deepEqual([made.code, made.out], [0, 'web\n'], made.errors);
  assert.match((await profile('show', 'web')).out, /user_data +\*{6}/);
  for (const name of ['a', 'b']) {
    const uuid = await enrolNode(url, { driver: 'fake-hardware', deploy_interface: 'fake', name });
    services.db.nodes.update(uuid, { provision_state: 'available' });
  }
  const words = ['deploy', 'a', 'b', '--profile', 'web'];
  const { code, errors } = await runCommand((context) => nodeCommand(words, context), { OS_ENDPOINT: url });
  assert.equal(code, 0, errors);
  const { image_source: source, configdrive } = services.db.nodes.findBy('name', 'b')?.instance_info ?? {};
  const meta = { hostname: 'web-2', name: 'web-2' };
  assert.deepEqual(
    [source, configdrive],
    ['http://images.test/d.img', { meta_data: meta, user_data: '#!/bin/sh\ntrue\n' }],
  );
});
