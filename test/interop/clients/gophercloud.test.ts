// Every call of gophercloud's bare metal packages: a test for each, all in one Go process.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ClientShell, clientShell } from '../../fakes/clients/client-shell.ts';
import { baremetalPackages, buildGophercloud, skipWithoutGo } from '../../setup/gophercloud.ts';
import { machineCalls } from './gophercloud/machines.ts';
import { nodeCalls } from './gophercloud/nodes.ts';
import { recordCalls } from './gophercloud/records.ts';
import { type Library, libraryOf } from './library.ts';
import { Site } from './site.ts';

const scenarios = { ...recordCalls, ...nodeCalls, ...machineCalls };

describe('gophercloud', { skip: skipWithoutGo() }, () => {
  let site: Site;
  let shell: ClientShell;
  let go: Library;
  before(async () => {
    const program = buildGophercloud();
    site = await Site.start();
    shell = clientShell(site.url, program);
    go = libraryOf(shell);
  });
  after(async () => {
    await shell[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  for (const [call, scenario] of Object.entries(scenarios)) test(call, () => scenario(go, site));

  test('the tested calls are exactly the calls of gophercloud', () => {
    assert.deepEqual(Object.keys(scenarios).toSorted(), callsOf(baremetalPackages()).toSorted());
  });
});

/** Returns the names of the functions that call the API or make a client for it, such as `nodes.List`. */
function callsOf(packages: ReadonlyMap<string, string>): readonly string[] {
  return [...packages].flatMap(([path, folder]) => {
    const requests = join(folder, 'requests.go');
    if (!existsSync(requests)) return [];
    const source = readFileSync(requests, 'utf8');
    return [...source.matchAll(/^func ([A-Z]\w*)\(.*ServiceClient/gm)].map(
      ([, name]) => `${path.split('/').at(-1)}.${name}`,
    );
  });
}
