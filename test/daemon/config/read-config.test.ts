import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { firstFile, readConfig } from '../../../daemon/config/read-config.ts';

const directory = mkdtempSync(join(tmpdir(), 'read-config-'));
after(() => rmSync(directory, { recursive: true }));
const first = join(directory, 'first.conf');
const second = join(directory, 'second.conf');
const absent = join(directory, 'absent.conf');
writeFileSync(first, '[api]\nport = 1001\n');
writeFileSync(second, '[api]\nport = 1002\n');

const read = (configFile: string) => readConfig({ configFile, environment: {}, sections: [] });

test('the configuration file argument overrides IRONIC_CONFIG_FILE', () => {
  const environment = { IRONIC_CONFIG_FILE: second };
  const named = readConfig({ configFile: first, environment, sections: [] });
  assert.equal(named.config.api.port, 1001);
  assert.equal(named.file, first);
  assert.equal(readConfig({ configFile: undefined, environment, sections: [] }).config.api.port, 1002);
});

test('a relative state path is made absolute', () => {
  const environment = { IRONIC_DEFAULT__STATE_PATH: 'there' };
  const { config } = readConfig({ configFile: first, environment, sections: [] });
  assert.equal(config.DEFAULT.state_path, join(process.cwd(), 'there'));
});

test('a missing configuration file or a directory in its place is an error', () => {
  assert.throws(() => read(absent), {
    name: 'ConfigurationError',
    message: /absent\.conf: no such file/,
  });
  assert.throws(() => read(directory), { name: 'ConfigurationError', message: /EISDIR/ });
});

test('the first existing standard file is used, and having none is not an error', () => {
  assert.equal(firstFile([absent, second, first])?.path, second);
  assert.equal(firstFile([absent]), undefined);
});
