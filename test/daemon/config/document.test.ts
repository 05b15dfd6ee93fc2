import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { documentConfiguration } from '../../../daemon/config/document.ts';
import type { SectionSource } from '../../../daemon/config/options.ts';
import type { SectionSchemas } from '../../../daemon/config/section-schema.ts';

const root = `${import.meta.dirname}/../../../`;

test('the reference in the tree is the one of these options', () => {
  const inTree = globSync('plugins/*/plugin.json', { cwd: root }).toSorted().map(readSource);
  const reference = readFileSync(`${root}daemon/docs/configuration.md`, 'utf8');
  assert.ok(
    reference === documentConfiguration(inTree),
    'daemon/docs/configuration.md is stale; write it anew with: ironic-edge config document',
  );
});

function readSource(path: string): SectionSource {
  const manifest = JSON.parse(readFileSync(root + path, 'utf8')) as {
    name: string;
    configuration?: SectionSchemas;
  };
  return { declaredBy: `plugin ${manifest.name}`, sections: manifest.configuration ?? {} };
}

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
