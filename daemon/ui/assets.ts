// The files of the page, each under a path with a hash of its content.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Frame } from './views/layout.ts';

interface Asset {
  readonly type: string;
  readonly text: string;
}

const TYPES = {
  'page.js': 'text/javascript; charset=utf-8',
  'stream.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

export interface Assets {
  readonly files: Frame['files'];
  readonly byPath: ReadonlyMap<string, Asset>;
}

export function readAssets(): Assets {
  const byPath = new Map<string, Asset>();
  const pathOf = (name: keyof typeof TYPES) => {
    const text = readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const path = `/ui/assets/${hash}/${name}`;
    byPath.set(path, { type: TYPES[name], text });
    return path;
  };
  const files = {
    'page.js': pathOf('page.js'),
    'stream.js': pathOf('stream.js'),
    'page.css': pathOf('page.css'),
    'icon.svg': pathOf('icon.svg'),
  };
  return { files, byPath };
}
