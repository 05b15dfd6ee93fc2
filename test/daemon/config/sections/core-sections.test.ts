import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreSections } from '../../../../daemon/config/sections/core-sections.ts';
import { interfaceTypes } from '../../../../daemon/model/machine/interface-types.ts';

const sections = coreSections({ hostname: 'edge-1', address: '192.0.2.10', workingDirectory: '/' });

test('every interface type has an enabled_*_interfaces and a default_*_interface option', () => {
  const names = Object.keys(sections.DEFAULT.properties);
  for (const type of interfaceTypes) {
    assert.ok(names.includes(`enabled_${type}_interfaces`), type);
    assert.ok(names.includes(`default_${type}_interface`), type);
  }
});

test('every interval and timeout in [api] and [conductor] is limited to the longest delay of a timer', () => {
  const properties = { ...sections.api.properties, ...sections.conductor.properties };
  const times = Object.entries(properties).filter(([name]) => /_(interval|timeout)$/.test(name));
  assert.equal(times.length, 14);
  for (const [name, schema] of times) {
    const { maximum } = schema as { maximum?: number };
    assert.ok(maximum !== undefined && maximum * 1000 < 2 ** 31, name);
  }
});
