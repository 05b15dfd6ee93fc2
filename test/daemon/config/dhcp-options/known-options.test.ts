import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { decidedDhcp6Options, dhcp6Options } from '../../../../daemon/config/dhcp-options/dhcp6-options.ts';
import { decidedOptions, knownOptions } from '../../../../daemon/config/dhcp-options/known-options.ts';

const PAGE = path.join(import.meta.dirname, '../../../../daemon/docs/dhcp.md');

test('each option has one name, one number and a type', () => {
  assert.ok(knownOptions.length > 90);
  assert.equal(new Set(knownOptions.map(({ code }) => code)).size, knownOptions.length);
  assert.equal(new Set(knownOptions.map(({ name }) => name)).size, knownOptions.length);
  for (const { name } of knownOptions) assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/);
});

test('each option of DHCPv6 has one name and one number, and stands in the documentation', () => {
  const page = readFileSync(PAGE, 'utf8').replaceAll(/\s+/g, ' ');
  assert.equal(new Set(dhcp6Options.map(({ name }) => name)).size, dhcp6Options.length);
  for (const { code, name } of dhcp6Options) {
    assert.ok(!decidedDhcp6Options.has(code), name);
    assert.ok(page.includes(`\`${name}\` (${code})`), `${name} (${code})`);
  }
});

test('the types of the package are corrected where they would send wrong bytes', () => {
  const types = Object.fromEntries(knownOptions.map(({ code, type }) => [code, type]));
  assert.deepEqual(
    [26, 33, 42, 43, 45, 68, 119, 121, 150, 249].map((code) => types[code]),
    ['uint16', 'pairs', 'ips', 'hex', 'ips', 'ips', 'domains', 'routes', 'ips', 'routes'],
  );
});

test('reading the table opens no socket, starts no timer, prints nothing and changes no global', () => {
  const script = `const before = Object.getOwnPropertyNames(globalThis).length;
    const proto = [Array, Object, String, Buffer, Map].map((each) => Object.getOwnPropertyNames(each.prototype).length).join();
    await import('dhcp/lib/options.js');
    if (Object.getOwnPropertyNames(globalThis).length !== before) throw new Error('a global was added');
    if ([Array, Object, String, Buffer, Map].map((each) => Object.getOwnPropertyNames(each.prototype).length).join() !== proto)
      throw new Error('a prototype was changed');
    const { getActiveResourcesInfo } = process;
    const open = getActiveResourcesInfo.call(process).filter((each) => /UDP|TCP|Timeout|Immediate/.test(each));
    if (open.length > 0) throw new Error(open.join());`;
  const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    cwd: path.dirname(PAGE),
  });
  assert.deepEqual([ended.status, ended.stdout, ended.stderr], [0, '', '']);
});

test('the documentation lists every name that can be set', () => {
  const page = readFileSync(PAGE, 'utf8').replaceAll(/\s+/g, ' ');
  const settable = knownOptions.filter(({ code }) => !decidedOptions.has(code));
  for (const { code, name } of settable)
    assert.ok(page.includes(`\`${name}\` (${code})`), `${name} (${code})`);
});
