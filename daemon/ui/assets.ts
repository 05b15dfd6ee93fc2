// The files of the pages. They lie under one path with a hash of all their content, so that a module may import another.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Asset {
  readonly type: string;
  readonly text: string;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

export interface Assets {
  /** The path of the folder with all files, with a slash at its end. */
  readonly folder: string;
  readonly byPath: ReadonlyMap<string, Asset>;
}

const FOLDER = new URL('assets/', import.meta.url);
/** Files of packages, by the names under which the modules of the folder `console` find them. */
const LIBRARIES = {
  'console/xterm.js': '@xterm/xterm/lib/xterm.mjs',
  'console/xterm.css': '@xterm/xterm/css/xterm.css',
  'console/addon-fit.js': '@xterm/addon-fit/lib/addon-fit.mjs',
} as const;

const { resolve } = createRequire(import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8');
const namesIn = (name: string) => readdirSync(new URL(name, FOLDER)).toSorted();

/** The style sheets of the folder `css` become one file, `page.css`, in the order of their names. */
export function readAssets(): Assets {
  const own = [...namesIn('.'), ...namesIn('console/').map((name) => `console/${name}`)];
  const files = new Map(own.filter((name) => name.includes('.')).map((name) => [name, textOf(name)]));
  for (const [name, file] of Object.entries(LIBRARIES)) files.set(name, readFileSync(resolve(file), 'utf8'));
  files.set(
    'page.css',
    namesIn('css/')
      .map((name) => textOf(`css/${name}`))
      .join('\n'),
  );
  const hash = createHash('sha256')
    .update(JSON.stringify([...files]))
    .digest('hex')
    .slice(0, 16);
  const folder = `/ui/assets/${hash}/`;
  const byPath = new Map(
    [...files].map(([name, text]) => {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
      if (type === undefined)
        throw new Error(`daemon/ui/assets/${name}: expected a name that ends in .js, .css or .svg`);
      return [`${folder}${name}`, { type, text }];
    }),
  );
  return { folder, byPath };
}
