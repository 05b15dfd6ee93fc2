import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { withoutReferences } from '../../../daemon/config/interpolate.ts';
import { loadConfig } from '../../../daemon/config/load.ts';
import { showConfiguration } from '../../../daemon/config/show.ts';

const machine = { hostname: 'edge-1', address: '192.0.2.10', workingDirectory: '/srv/edge' };
const sections = [
  {
    declaredBy: 'plugin acme',
    sections: {
      acme: {
        type: 'object' as const,
        properties: {
          password: { type: 'string' as const },
          label: { type: 'string' as const, default: '' },
        },
      },
    },
  },
];
const load = (text: string, environment: Record<string, string> = {}) =>
  loadConfig({ file: { path: 'ironic.conf', text }, environment, sections, machine });

test('every value is shown below its source, and set secrets are masked', () => {
  const shown = showConfiguration(load('[acme]\npassword = hunter2\n', { IRONIC_API__PORT: '7000' }));
  assert.match(shown, /^\[api\]\n# default\nhost_ip = 127\.0\.0\.1\n# IRONIC_API__PORT\nport = 7000\n/m);
  assert.match(shown, /^\[acme\]\n# ironic\.conf:2\npassword = \*{6}\n# default\nlabel =\n/m);
  assert.doesNotMatch(shown, /hunter2/);
  assert.match(showConfiguration(load('')), /password =\n/);
});

test('the shown configuration loads to the same values', () => {
  const line = fc.string().map((text) => text.replaceAll(/[\r\n]/g, ''));
  const continuation = fc.stringMatching(/^[!-~]( ?[!-~])*$/);
  fc.assert(
    fc.property(line, fc.array(continuation, { maxLength: 2 }), (first, rest) => {
      const once = load('', { IRONIC_ACME__LABEL: withoutReferences([first, ...rest].join('\n')) });
      const twice = load(showConfiguration(once));
      assert.deepEqual(twice.values, once.values);
      assert.deepEqual(twice.warnings, []);
    }),
  );
});
