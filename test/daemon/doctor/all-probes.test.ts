import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doctorCommand } from '../../../daemon/cli/host/doctor-command.ts';
import { runCommand } from '../../fakes/clients/run-command.ts';
import { type Found, newHost, nodeWith } from './planted-host.ts';

const run = (...args: readonly string[]) => runCommand((context) => doctorCommand(args, context));

test('names the probes that found nothing with --all, each with what it looks at, and exits with 0 then', async (t) => {
  const host = newHost(t);
  const chosen = ['--only', 'backup,failed-nodes', '--all', '--config-file', host.configFile];
  const { code, out } = await run(...chosen, '--json');
  const nothing = { severity: 'none', saw: '', means: '', fix: '', node: null };
  assert.deepEqual(JSON.parse(out), [
    { probe: 'backup', about: 'the age of the newest backup', ...nothing },
    { probe: 'failed-nodes', about: 'nodes whose last work failed', ...nothing },
  ]);
  assert.equal(code, 0);
  assert.match(
    (await run(...chosen)).out,
    /^nothing found: the age of the newest backup\n {2}probe: backup\n/,
  );
  const node = nodeWith({ name: 'one', provision_state: 'clean failed' });
  host.store((db) => db.nodes.insert(node));
  const found = JSON.parse((await run(...chosen, '--json')).out) as readonly (Found & {
    node: string | null;
  })[];
  assert.deepEqual(
    found.map(({ probe, node: about }) => [probe, about]),
    [
      ['backup', null],
      ['failed-nodes', node.uuid],
    ],
  );
});
