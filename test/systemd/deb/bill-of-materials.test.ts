import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { billOfMaterials } from '../../../systemd/deb/bill-of-materials.ts';

const tree = path.join(import.meta.dirname, '../../..');

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: true }>>;
}

interface Bill {
  readonly serialNumber?: string;
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly group?: string;
  }[];
}

test('the list of parts names every package in the program, and Node.js', () => {
  const { packages } = JSON.parse(readFileSync(path.join(tree, 'package-lock.json'), 'utf8')) as Lock;
  const installed = Object.entries(packages)
    .filter(([place, { dev }]) => place !== '' && dev !== true && existsSync(path.join(tree, place)))
    .map(([place, { version }]) => `${place.split('node_modules/').at(-1)}@${version}`);
  const text = billOfMaterials(tree);
  const { components, serialNumber } = JSON.parse(text) as Bill;
  const named = components.map(({ name, version }) => `${name}@${version}`);
  assert.deepEqual(named.toSorted(), installed.toSorted());
  assert.ok(named.some((each) => /^node-linux-\w+@/.test(each)));
  assert.equal(serialNumber, undefined);
  assert.equal(billOfMaterials(tree), text, 'equal trees give equal texts');
});
