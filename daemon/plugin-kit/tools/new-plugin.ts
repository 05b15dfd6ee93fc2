// Creates a plugin: a copy of the template for a protocol, with the plugin's name in place of `acme`.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeEditorFiles } from './editor-files.ts';

const templates = fileURLToPath(new URL('../template', import.meta.url));

/** The protocols of BMCs. There is a template for each. */
export const protocols = ['http', 'redfish', 'ipmi'] as const;
export type Protocol = (typeof protocols)[number];

/** Writes the folder `parent`/`name` and returns its path. Throws when the name is invalid or the folder exists. */
export function newPlugin(name: string, parent: string, protocol: Protocol = 'http'): string {
  if (!/^[a-z][a-z0-9]*$/.test(name))
    throw new Error(
      `${name}: expected a name of lower-case letters and digits that starts with a letter, such as acme`,
    );
  const folder = path.resolve(parent, name);
  if (existsSync(folder)) throw new Error(`${folder} already exists; choose another name, or remove it`);
  mkdirSync(folder, { recursive: true });
  const capital = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const renamed = (text: string) => text.replaceAll('acme', name).replaceAll('Acme', capital);
  const template = path.join(templates, protocol);
  for (const file of readdirSync(template)) {
    const text = readFileSync(path.join(template, file), 'utf8');
    writeFileSync(path.join(folder, renamed(file)), renamed(text));
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), `${JSON.stringify(typeSettings, null, 2)}\n`);
  writeEditorFiles(folder);
  return folder;
}

/** Settings for the TypeScript compiler, which editors and `plugin check` use; the daemon does not read them. */
const typeSettings = {
  extends: './.editor/tsconfig.json',
  compilerOptions: {
    target: 'esnext',
    module: 'preserve',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
};
