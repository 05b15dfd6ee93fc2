import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { configCommand } from '../../../../daemon/cli/host/config-command.ts';
import { documentConfiguration } from '../../../../daemon/config/document.ts';
import { vendorPlugin } from '../../../fakes/vendor-plugin.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

const directory = mkdtempSync(join(tmpdir(), 'config-command-'));
after(() => rmSync(directory, { recursive: true }));
const file = join(directory, 'ironic.conf');
writeFileSync(file, '[api]\nport = 7000\nmax_limt = 5\n');

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand((context) => configCommand(args, context), environment);

test('check reports a valid file and warns about unknown options', async () => {
  assert.deepEqual(await run(['check', '--config-file', file]), {
    code: 0,
    out: `${file}: valid\n`,
    errors: `warning: ${file}:3: there is no option [api] max_limt, so it is ignored; did you mean max_limit?\n`,
  });
});

test('check reports invalid values', async () => {
  await assert.rejects(
    run(['check'], { IRONIC_CONFIG_FILE: file, IRONIC_API__PORT: 'high' }),
    /IRONIC_API__PORT: \[api\] port = "high": expected an integer from 0 to 65535$/,
  );
});

test('show prints the effective configuration with its sources', async () => {
  const { code, out } = await run(['show', `--config-file=${file}`]);
  assert.equal(code, 0);
  assert.ok(out.includes(`# ${file}:2\nport = 7000\n`));
});

test('the options of plugins on the configured path are checked, shown and documented', async (t) => {
  const folder = vendorPlugin(t);
  const own = join(folder, 'ironic.conf');
  writeFileSync(own, `[plugins]\npath = ${folder}\n[rackpower]\npatience = 30\n`);
  const { errors } = await run(['check', '--config-file', own]);
  assert.equal(errors, '');
  for (const action of ['show', 'document'])
    assert.match((await run([action, '--config-file', own])).out, /rackpower/, action);
  writeFileSync(own, `[plugins]\npath = ${folder}\n[rackpower]\npatience = soon\n`);
  await assert.rejects(run(['check', '--config-file', own]), /\[rackpower\] patience = "soon": expected/);
});

test('document prints the reference without reading the file that IRONIC_CONFIG_FILE names', async () => {
  const { code, out } = await run(['document'], { IRONIC_CONFIG_FILE: '/nonexistent' });
  assert.equal(code, 0);
  assert.ok(out.startsWith(documentConfiguration([]).slice(0, 500)));
  assert.match(out, /^## \[ipmi\]/m);
});

test('wrong arguments print the usage and exit with code 2', async () => {
  for (const args of [[], ['print'], ['check', 'show'], ['check', '--verbose'], ['check', '--config-file']]) {
    const { code, out, errors } = await run(args);
    assert.deepEqual([code, out], [2, '']);
    assert.match(errors, /^usage: ironic-edge config check\|show\|document/);
  }
});
