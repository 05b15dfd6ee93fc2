// The pages refer to each other by file and heading: a page that is moved or split takes its links with it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type SourceFile, sourceFiles } from './source-tree.ts';

/** The name by which links refer to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

const anchorsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Returns `PAGE: LINK` for each link in the pages to a file or heading that does not exist. */
function brokenLinks(files: readonly SourceFile[]): readonly string[] {
  const texts = new Map(files.map((file) => [file.path, file.text]));
  const folders = new Set(files.map((file) => path.dirname(file.path)));
  const isBroken = (page: string, link: string): boolean => {
    const [target = '', anchor = ''] = link.split('#');
    const place = target === '' ? page : path.join(path.dirname(page), target);
    const text = texts.get(place);
    if (text === undefined) return !folders.has(place) && !(place.endsWith('.png') && existsSync(place));
    return anchor !== '' && !anchorsIn(text).includes(anchor);
  };
  return files
    .filter((file) => file.path.endsWith('.md'))
    .flatMap(({ path: page, text }) =>
      [...text.matchAll(/\]\(([^)\s:]+)\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => isBroken(page, link))
        .map((link) => `${page}: ${link}`),
    );
}

test('each link in a page leads to a file or a heading that exists', () => {
  const files = sourceFiles();
  assert.ok(files.filter((file) => file.path.endsWith('.md')).length > 40);
  assert.deepEqual(brokenLinks(files), []);
});

test('the list of pages leads to each page', () => {
  const files = sourceFiles();
  const list = files.find((file) => file.path === 'daemon/docs/README.md')?.text ?? '';
  const pages = files
    .map((file) => file.path)
    .filter((each) => path.dirname(each) === 'daemon/docs' && each.endsWith('.md'))
    .map((each) => path.basename(each))
    .filter((each) => each !== 'README.md');
  assert.deepEqual(
    pages.filter((each) => !list.includes(`](${each})`)),
    [],
  );
});

const page = (name: string, text: string): SourceFile => ({ path: name, text });

test('a link to a file or a heading that is not there is found; other addresses are left alone', () => {
  const files = [
    page(
      'docs/a.md',
      '[b](b.md) [c](b.md#two-words) [d](b.md#none) [e](e.md) [f](https://x.test/y) [g](../docs)',
    ),
    page('docs/b.md', '# One\n## Two `words`\n[up](#one) [down](#three)\n'),
  ];
  assert.deepEqual(brokenLinks(files), ['docs/a.md: b.md#none', 'docs/a.md: e.md', 'docs/b.md: #three']);
});
