// The page on changing the project names paths, scripts and commands that exist.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '../../..');
const page = readFileSync(path.join(ROOT, '.github/CONTRIBUTING.md'), 'utf8');
const quoted = [...page.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

test('every path and link of the page exists', () => {
  const words = quoted.flatMap((text) => text.split(' ')).filter((word) => /^[\w.-]+\/[\w./-]+$/.test(word));
  const links = [...page.matchAll(/\]\((\.\.\/[^)]+)\)/g)].map(([, link = '']) => path.join('.github', link));
  assert.ok(words.length > 30 && links.length > 3, `${words.length} paths, ${links.length} links`);
  for (const each of [...words, ...links]) assert.ok(existsSync(path.join(ROOT, each)), each);
});

test('every npm script of the page exists', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const named = quoted.flatMap((text) => /^npm (?:run )?([\w:]+)/.exec(text)?.[1] ?? []);
  assert.ok(named.length > 4);
  for (const name of named) assert.ok(Object.hasOwn(scripts, name), name);
});

test('every command of the page that starts with ironic-edge is one', () => {
  const commands = quoted.flatMap((text) => /(?:^|\/)ironic-edge (.+)$/.exec(text)?.[1] ?? []);
  assert.ok(commands.length > 3);
  for (const command of commands) {
    const words = command.split(' ').filter((word) => /^[a-z-]+$/.test(word));
    const { status } = spawnSync(path.join(ROOT, 'daemon/cli/ironic-edge'), [...words, '--help']);
    assert.equal(status, 0, command);
  }
});
