import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import * as manualExamples from '../../../../daemon/cli/manual/examples.ts';
import { interfaceTypes } from '../../../../daemon/model/machine/interface-types.ts';
import { skipWithout } from '../../../setup/packages.ts';

const COMMAND = path.join(import.meta.dirname, '../../../../daemon/cli/ironic-edge');
const skip = skipWithout('mandoc');

/** Writes the manual pages into a new folder and returns its path. */
function written(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'manual-'));
  t.after(() => rmSync(folder, { recursive: true }));
  execFileSync(COMMAND, ['manual', folder]);
  return folder;
}

const pagesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('/'))
    .toSorted();

/** The page as a terminal shows it, without line breaks and highlights. */
const shown = (folder: string, page: string): string =>
  execFileSync('mandoc', ['-T', 'utf8', path.join(folder, page)], { encoding: 'utf8' })
    .split('\b')
    .map((part, index, parts) => (index < parts.length - 1 ? part.slice(0, -1) : part))
    .join('')
    .replaceAll(/\s+/g, ' ');

test('each command has a manual page; the page of node shows the usage of node deploy', { skip }, (t) => {
  const folder = written(t);
  const refused = spawnSync(COMMAND, ['nothing'], { encoding: 'utf8' }).stderr;
  const names = /expected one of (.*)$/m.exec(refused)?.[1]?.split(', ') ?? [];
  assert.ok(names.includes('node'));
  assert.deepEqual(
    pagesIn(folder).filter((page) => page.startsWith('man1/')),
    ['ironic-edge', ...names.map((name) => `ironic-edge-${name}`)].map((name) => `man1/${name}.1`).toSorted(),
  );
  const node = shown(folder, 'man1/ironic-edge-node.1');
  for (const text of [
    'SYNOPSIS ironic-edge node COMMAND',
    'ironic-edge node deploy NODE... [',
    '--config-drive FILE',
    '--timeout SECONDS',
  ])
    assert.ok(node.includes(text), text);
  assert.ok(shown(folder, 'man1/ironic-edge.1').includes('the API cannot be reached'));
});

test(
  'mandoc finds no fault in any page, and each page refers to every other page of sections 5 and 8',
  { skip },
  (t) => {
    const folder = written(t);
    const pages = pagesIn(folder);
    const files = pages.map((page) => path.join(folder, page));
    const { status, stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', ...files], {
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [0, '']);
    const others = ['ironic.conf 5', 'ironic-edge-plugin 5', 'ironic-pxe-filter 8', 'with-sockets 8'];
    assert.deepEqual(
      pages.filter((page) => !page.startsWith('man1/')),
      ['man5/ironic-edge-plugin.5', 'man5/ironic.conf.5', 'man8/ironic-pxe-filter.8', 'man8/with-sockets.8'],
    );
    for (const page of pages) {
      const text = readFileSync(path.join(folder, page), 'utf8');
      const own = path.basename(page).replace(/\.(\d)$/, ' $1');
      for (const other of others)
        assert.equal(text.includes(`.Xr ${other}`), other !== own, `${page}: ${other}`);
    }
  },
);

test(
  'ironic.conf(5) has every option of the reference, including those of in-tree plugins',
  { skip },
  (t) => {
    const page = shown(written(t), 'man5/ironic.conf.5');
    const reference = execFileSync(COMMAND, ['config', 'document'], { encoding: 'utf8' });
    const variables = [...reference.matchAll(/`(IRONIC_[A-Z0-9_]+__[A-Z0-9_]+)`/g)].map(
      ([, name]) => name ?? '',
    );
    assert.ok(variables.length > 200 && variables.includes('IRONIC_IPMI__MIN_COMMAND_INTERVAL'));
    for (const variable of variables) assert.ok(page.includes(variable), variable);
    assert.ok(page.includes('port an integer from 0 to 65535; default 6385; IRONIC_API__PORT'));
    assert.ok(page.includes('The address at which nodes and their BMCs reach this host.'));
  },
);

test('ironic-edge-plugin(5) describes fields of a manifest and shows an example', { skip }, (t) => {
  const page = shown(written(t), 'man5/ironic-edge-plugin.5');
  for (const field of ['pluginApi', 'ironic.inspection.hooks', 'extends', 'acceptsAny', 'configuration'])
    assert.ok(page.includes(` ${field} `), field);
  assert.equal(page.split('Implementations of the TYPE interface').length, 2);
  assert.ok(page.includes(`TYPE is ${interfaceTypes.join(', ')}.`));
  const example = /EXAMPLES (\{.*\}) SEE ALSO/.exec(page)?.[1] ?? '';
  assert.equal((JSON.parse(example) as { name: string }).name, 'acme');
});

test('ironic-pxe-filter(8) shows the usage of that program', { skip }, (t) => {
  const filter = path.join(import.meta.dirname, '../../../../pxe-filter/ironic-pxe-filter');
  const usage = execFileSync(filter, ['--help'], { encoding: 'utf8' }).trim().replaceAll(/\s+/g, ' ');
  const page = shown(written(t), 'man8/ironic-pxe-filter.8');
  const [synopsis = '', ...rest] = usage.slice('usage: '.length).split(' serve keep ');
  assert.ok(page.includes(`SYNOPSIS ${synopsis} DESCRIPTION serve keep ${rest.join(' serve keep ')}`), page);
  assert.match(page, / EXAMPLES ironic-pxe-filter purge /);
});

test(
  'each command page has a synopsis and examples, and the examples are commands that exist',
  { skip },
  (t) => {
    const folder = written(t);
    const { examples, firstExamples } = manualExamples;
    for (const page of pagesIn(folder).filter((each) => each.startsWith('man1/'))) {
      const text = readFileSync(path.join(folder, page), 'utf8');
      assert.match(text, /^\.Sh SYNOPSIS\n\.Bd -literal\n(\\&)?ironic\\-edge/m, page);
      assert.match(text, /^\.Sh EXAMPLES\n\.Bd -literal\nironic\\-edge /m, page);
    }
    for (const line of [...Object.values(examples).flat(), ...firstExamples]) {
      const words = line.replace(/ >>?\S+$/, '');
      const { status, stderr } = spawnSync('bash', ['-c', `'${COMMAND}' ${words} --help`], {
        encoding: 'utf8',
      });
      assert.deepEqual([status, stderr], [0, ''], line);
    }
  },
);
