import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentConfiguration } from '../../../daemon/config/document.ts';

test('a plugin option is documented with its type, default, bounds, variable and plugin', () => {
  const text = documentConfiguration([
    {
      declaredBy: 'plugin acme',
      sections: {
        acme: {
          type: 'object',
          properties: {
            port: { type: 'integer', default: 443, minimum: 1, maximum: 65535, description: 'The port.' },
            password: { type: 'string' },
          },
        },
      },
    },
  ]);
  assert.ok(
    text.endsWith(
      [
        '## [acme]',
        '### port',
        'an integer from 1 to 65535; default `443`; `IRONIC_ACME__PORT`; from plugin acme',
        'The port.',
        '### password',
        'text; no default; `IRONIC_ACME__PASSWORD`; from plugin acme\n',
      ].join('\n\n'),
    ),
  );
});
