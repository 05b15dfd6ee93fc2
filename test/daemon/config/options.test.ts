import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allOptions,
  environmentVariable,
  findOption,
  label,
  mergeSections,
  type SectionSource,
} from '../../../daemon/config/options.ts';

const source = (declaredBy: string, section: string, ...names: string[]): SectionSource => ({
  declaredBy,
  sections: {
    [section]: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    },
  },
});

test('two sources may share a section', () => {
  const options = mergeSections([source('plugin a', 'bmc', 'user'), source('plugin b', 'bmc', 'port')]);
  assert.deepEqual(allOptions(options).map(label), ['[bmc] user', '[bmc] port']);
  const port = findOption(options, 'bmc', 'port');
  assert.equal(port?.declaredBy, 'plugin b');
  assert.equal(environmentVariable(port), 'IRONIC_BMC__PORT');
  assert.equal(findOption(options, 'bmc', 'host'), undefined);
});

test('an option declared twice is an error that names both sources', () => {
  assert.throws(() => mergeSections([source('the core', 'api', 'port'), source('plugin b', 'api', 'port')]), {
    name: 'ConfigurationError',
    problems: ['[api] port is declared by the core and by plugin b; one of them must rename it'],
  });
});
