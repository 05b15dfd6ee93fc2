// References in the strings of rules.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { fillIn } from '../../../ramdisk-callback/rules/fill-in.ts';
import { filling, inventory } from './machine.ts';

const filled: Readonly<Record<string, string>> = {
  '{node.driver}': 'ipmi',
  '{node[driver]}': 'ipmi',
  '{node.name}': 'None',
  '{node.driver_info[ipmi_address]}': '192.0.2.9',
  'https://{inventory[bmc_address]}:443': 'https://192.0.2.9:443',
  '{inventory[cpu][count]}': '8',
  '{inventory[interfaces][0][mac_address]}': '52:54:00:00:00:01',
  '{plugin_data[auto_discovered]}': 'True',
  '{plugin_data[nested][list]}': "[1, 'two', None, False]",
  '{inventory[cpu]}': `{'count': 8, 'architecture': 'x86_64', 'flags': ['vmx', "it's"]}`,
  'braces: {{node.driver}}': 'braces: {node.driver}',
  'no reference': 'no reference',
  '{inventory[cpu][count]:>4}|': '   8|',
  '{inventory[cpu][count]:04d}': '0008',
  '{inventory[cpu][count]:#x}': '0x8',
  '{inventory[cpu][count]:.2f}': '8.00',
  '{inventory[memory]:,}': '8,589,934,592',
  '{inventory[bmc_address]!r:>13}': "  '192.0.2.9'",
  '{inventory[cpu][flags][1]!a}': `"it's"`,
  '{node.driver:*^{inventory[cpu][count]}}': '**ipmi**',
  '{node.driver[0]}{node.driver:.2}': 'iip',
  '{plugin_data[auto_discovered]:d}': '1',
};

test('references are replaced with their values as Python prints them', () => {
  for (const [text, expected] of Object.entries(filled)) {
    const within = filling();
    assert.equal(fillIn(text, within), expected);
    assert.deepEqual(within.warnings, []);
  }
});

test('secrets are replaced with *** at every depth when they are masked', () => {
  const secrets = [
    '{inventory[bmc_password]}',
    '{node.driver_info[ipmi_password]}',
    '{plugin_data[nested]}',
    '{node.driver_info}',
  ];
  for (const text of secrets) {
    const masked = JSON.stringify(fillIn(text, filling()));
    assert.ok(masked.includes('***') && !masked.includes('hunter2'), masked);
    assert.ok(JSON.stringify(fillIn(text, filling({ masked: false }))).includes('hunter2'));
  }
});

test('a string with an invalid reference is left wholly unchanged, with a warning', () => {
  const kept = [
    '{inventory[nothing]}',
    '{inventory.cpu}',
    '{inventory[interfaces][7]}',
    '{inventory[interfaces][name]}',
    '{inventory[constructor]}',
    '{nobody[x]}',
    '{item}',
    '{node.driver!x}',
    '{node.driver:d}',
    '{node.name:>4}',
    '{inventory[cpu][count]:.2}',
    '{inventory[cpu][count]:>99999999}',
    '{inventory[cpu][count]:{{}}}',
    '{inventory[cpu]count}',
    '{}',
    '{',
    'a}',
  ];
  for (const text of kept) {
    const within = filling();
    assert.equal(fillIn(`${text} {node.driver}`, within), `${text} {node.driver}`);
    assert.match(within.warnings.join(), /^".+ \{node.driver\}" is left unchanged: .+/, text);
  }
});

test('references in nested lists, objects and keys are replaced, and those in reported values are not', () => {
  const within = filling();
  assert.deepEqual(fillIn({ '{node.driver}': ['{node.driver}', 7, null, { b: '{node.driver}' }] }, within), {
    ipmi: ['ipmi', 7, null, { b: 'ipmi' }],
  });
  const hostile = filling();
  const scope = { ...hostile.scope, inventory: { ...inventory, name: '{inventory[bmc_password]}' } };
  assert.equal(
    fillIn('{inventory[name]}', { ...hostile, scope, masked: false }),
    '{inventory[bmc_password]}',
  );
});

test('filling in never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '.', 'node', 'a', '0') }), (text) => {
      assert.equal(typeof fillIn(text, filling()), 'string');
    }),
  );
});
