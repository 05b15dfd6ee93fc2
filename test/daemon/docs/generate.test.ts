// The generated pages match the code.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pages } from '../../../daemon/docs/generate.ts';
import { markdownTable } from '../../../daemon/docs/markdown-table.ts';
import { faultTable } from '../../../daemon/model/faults.ts';
import { actionOperators, conditionOperators } from '../../../daemon/model/rules/rule-operators.ts';
import { commonMembers, contract } from '../../../daemon/plugin-api/contract/interfaces.ts';
import { provisionStates } from '../../../daemon/model/states/provision-states.ts';

const folder = path.join(import.meta.dirname, '..', '..', '..', 'daemon', 'docs');

for (const [file, page] of Object.entries(pages)) {
  test(`${file} is up to date`, () => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    assert.ok(text === page(), `daemon/docs/${file} is stale; run: npm run docs`);
  });
}

test('the page of faults has a row for each fault', () => {
  const page = pages['faults.md']?.() ?? '';
  for (const { code, status } of faultTable)
    assert.match(page, new RegExp(`^\\| ${code} +\\| ${status} `, 'm'));
});

test('the page of states has a row and a shape for each state and an arrow for each transition', () => {
  const page = pages['provision-states.md']?.() ?? '';
  for (const state of provisionStates) {
    assert.match(page, new RegExp(`^\\| ${state} +\\| (?:stable|transient|wait|failed|hold) `, 'm'));
    assert.match(page, new RegExp(`^ {2}state "${state}" as \\w+$`, 'm'));
  }
  const arrows = [...page.matchAll(/^ {2}\w+ --> \w+: (.+)$/gm)];
  assert.equal(arrows.flatMap(([, events = '']) => events.split(', ')).length, 93);
  assert.match(page, /^ {2}wait_call_back --> deploy_failed: fail, abort$/m);
});

test('the page of inspection rules has a row for each operator with all its arguments', () => {
  const page = pages['inspection-rules.md']?.() ?? '';
  for (const [op, { required, optional = {} }] of Object.entries({
    ...conditionOperators,
    ...actionOperators,
  })) {
    const [row = ''] = new RegExp(`^\\| \`${op}\` +\\|.*$`, 'm').exec(page) ?? [];
    for (const name of [...Object.keys(required), ...Object.keys(optional)])
      assert.ok(row.includes(`\`${name}\``), `${op} ${name}`);
  }
});

test('the page of the plugin API contains each interface type and its own members', () => {
  const page = pages['plugin-api.md']?.() ?? '';
  for (const [type, members] of Object.entries(contract)) {
    assert.match(page, new RegExp(`^### ${type}$`, 'm'));
    for (const name of Object.keys(members).filter((each) => !Object.hasOwn(commonMembers, each)))
      assert.match(page, new RegExp(`^\\| \`${name}\` +\\|`, 'm'));
  }
});

test('a Markdown table has aligned columns and escapes a bar in a cell', () => {
  assert.equal(
    markdownTable(['a', 'name'], [['x|y', 'n']]),
    ['| a    | name |', '| ---- | ---- |', String.raw`| x\|y | n    |`].join('\n'),
  );
});
