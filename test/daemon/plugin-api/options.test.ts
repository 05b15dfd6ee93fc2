import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OptionsOf, optionsIn } from '../../../daemon/plugin-api/index.ts';
import { fakeTask } from '../../fakes/task.ts';

const manifest = {
  configuration: {
    acme: {
      type: 'object',
      properties: {
        patience: { type: 'integer', default: 5 as number },
        verify: { type: 'boolean', default: true as boolean },
        racks: { type: 'array', items: { type: 'string' }, default: [] },
        cafile: { type: 'string' },
      },
    },
  },
};

test('options have the types that the manifest declares', () => {
  const options = optionsIn(manifest, 'acme');
  const values = { patience: 7, verify: false, racks: ['a'], cafile: null };
  const read: OptionsOf<(typeof manifest)['configuration']['acme']> = options(
    fakeTask({ configuration: { acme: values } }),
  );
  // the annotations are the test: a wrong type does not compile
  const patience: number = read.patience;
  const verify: boolean = read.verify;
  const racks: readonly string[] = read.racks;
  const cafile: string | null = read.cafile;
  assert.deepEqual({ patience, verify, racks, cafile }, values);
});

test('a section that the configuration lacks is named in the error', () => {
  assert.throws(() => optionsIn(manifest, 'acme')(fakeTask()), /no section \[acme\]/);
});
