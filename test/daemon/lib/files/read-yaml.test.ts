import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readYaml } from '../../../../daemon/lib/files/read-yaml.ts';

test('YAML and JSON files are read, and a syntax error names its line', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'ironic-edge-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'x.yaml');
  const read = (text: string) => {
    writeFileSync(file, text);
    return readYaml(file);
  };
  assert.deepEqual(read('- a: 1\n  b: [x, "10de"]\n'), [{ a: 1, b: ['x', '10de'] }]);
  assert.deepEqual(read('{"a": [null, true]}'), { a: [null, true] });
  assert.throws(() => read('a: [b'), /line 1/);
  assert.throws(() => readYaml(join(directory, 'absent')), /ENOENT/);
});
