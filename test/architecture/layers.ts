// Which layer may import which: the table, the rule that checks it, and its Markdown for daemon/docs/layers.md.
import path from 'node:path/posix';
import { markdownTable } from '../../daemon/docs/markdown-table.ts';
import { type Import, importsOf } from './imports.ts';
import type { SourceFile } from './source-tree.ts';

interface Layer {
  readonly name: string;
  /** The folder or file of the layer. */
  readonly path: string;
  /** Layers whose files the layer may import. */
  readonly imports: readonly string[] | 'anything';
  /** Layers that the layer may load only with `import('...')`: a command that does not need them starts without them. */
  readonly loads?: readonly string[];
  /** The npm packages and the names of the import map (#plugin-api) that the layer may import. */
  readonly packages: readonly string[] | 'anything';
  /** Modules of Node.js that the layer may not import; all others are allowed. */
  readonly never?: readonly string[];
  /** Each file may import only files of its own folder in the layer, such as plugins/ipmi. */
  readonly apart?: true;
  /**
   * The rooms of the layer, from the lowest up: all its folders, and those of its own files that rooms import. A room may import
   * only rooms below it. The layer's other own files put the rooms together: they stand above all.
   */
  readonly rooms?: readonly string[];
}

export const layers: readonly Layer[] = [
  {
    name: 'lib',
    path: 'daemon/lib',
    imports: [],
    packages: ['pino', 'ipaddr.js', 'yaml', 'ajv', 'piscina', 'undici'],
  },
  { name: 'model', path: 'daemon/model', imports: ['lib'], packages: [] },
  { name: 'plugin-api', path: 'daemon/plugin-api', imports: ['model', 'lib'], packages: [] },
  { name: 'db', path: 'daemon/db', imports: ['model', 'lib'], packages: ['better-sqlite3'] },
  { name: 'config', path: 'daemon/config', imports: ['model', 'lib'], packages: ['dhcp'] },
  // what `plugin new` copies: a plugin like any other
  { name: 'plugin-template', path: 'daemon/plugin-kit/template', imports: [], packages: ['#plugin-api'] },
  {
    name: 'plugin-host',
    path: 'daemon/plugin-host',
    imports: ['plugin-api', 'config', 'model', 'lib'],
    packages: [],
  },
  {
    name: 'plugin-kit',
    path: 'daemon/plugin-kit',
    imports: ['plugin-host', 'plugin-api', 'config', 'model', 'lib'],
    packages: [],
  },
  { name: 'agent', path: 'daemon/agent', imports: ['plugin-api', 'model', 'lib'], packages: [] },
  {
    name: 'listener',
    path: 'daemon/listener',
    imports: ['config', 'model', 'lib'],
    packages: ['@hono/node-server', 'ws'],
  },
  {
    name: 'boot',
    path: 'daemon/boot',
    imports: ['listener', 'db', 'plugin-api', 'config', 'model', 'lib'],
    packages: [],
  },
  { name: 'images', path: 'daemon/images', imports: ['model', 'lib'], packages: [] },
  {
    name: 'conductor',
    path: 'daemon/conductor',
    imports: ['boot', 'images', 'db', 'agent', 'plugin-api', 'plugin-host', 'config', 'model', 'lib'],
    packages: [],
    rooms: [
      'limits.ts',
      'bmcs',
      'timeline',
      'tasks',
      'consoles',
      'drivers',
      'ramdisk',
      'bmc-events',
      'boot',
      'images',
      'hardware',
      'records',
      'finding',
      'inspection',
      'flows',
      'take-in',
      'loops',
    ],
  },

  {
    name: 'http',
    path: 'daemon/http',
    imports: ['conductor', 'db', 'config', 'model', 'lib'],
    packages: ['hono', 'rfc6902', 'bcryptjs', 'openid-client'],
    never: ['node:net', 'node:dgram', 'node:child_process'],
  },
  {
    name: 'api',
    path: 'daemon/api',
    imports: ['http', 'conductor', 'db', 'model', 'lib'],
    packages: [],
    never: ['node:net', 'node:dgram', 'node:child_process'],
  },
  {
    name: 'observe',
    path: 'daemon/observe',
    imports: ['http', 'conductor', 'db', 'config', 'model', 'lib'],
    packages: [],
  },
  {
    name: 'ui',
    path: 'daemon/ui',
    imports: ['http', 'conductor', 'db', 'model', 'lib'],
    packages: ['hono'],
    never: ['node:net', 'node:dgram', 'node:child_process'],
    rooms: [
      'assets',
      'kit',
      'actions',
      'read',
      'views',
      'answers.ts',
      'node-pages.ts',
      'machine-pages.ts',
      'add-pages.ts',
      'site.ts',
      'forms',
    ],
  },
  {
    name: 'ramdisk-callback',
    path: 'ramdisk-callback',
    imports: ['http', 'conductor', 'db', 'config', 'plugin-api', 'plugin-host', 'model', 'lib'],
    packages: ['piscina'],
  },
  { name: 'pxe-filter', path: 'pxe-filter', imports: ['boot', 'db', 'config', 'model', 'lib'], packages: [] },
  { name: 'plugins', path: 'plugins', imports: [], packages: ['#plugin-api'], apart: true },
  {
    name: 'main',
    path: 'daemon/main.ts',
    imports: [
      'http',
      'boot',
      'images',
      'observe',
      'api',
      'ui',
      'listener',
      'ramdisk-callback',
      'conductor',
      'db',
      'plugin-host',
      'config',
      'model',
      'lib',
    ],
    packages: [],
  },
  {
    name: 'doctor',
    path: 'daemon/doctor',
    imports: ['boot', 'images', 'listener', 'db', 'config', 'model', 'lib'],
    packages: ['tftp'],
  },
  {
    name: 'simulator',
    path: 'daemon/simulator',
    imports: ['boot', 'model', 'lib'],
    packages: [],
  },
  {
    name: 'cli',
    path: 'daemon/cli',
    imports: ['config', 'plugin-host', 'plugin-kit', 'model', 'lib'],
    loads: ['main', 'ramdisk-callback', 'pxe-filter', 'simulator', 'doctor', 'db', 'http'],
    packages: ['ws'],
  },
  {
    name: 'docs',
    path: 'daemon/docs',
    imports: ['config', 'plugin-api', 'plugin-host', 'model'],
    packages: [],
  },
  // builds the Debian package
  { name: 'systemd', path: 'systemd', imports: [], packages: [] },
  { name: 'test', path: 'test', imports: 'anything', packages: 'anything' },
];

/** Returns a message for each import of `file` that the table does not allow; a single message if `file` belongs to no layer. */
export function forbiddenImports(file: SourceFile): readonly string[] {
  const layer = layerOf(file.path);
  if (layer === undefined)
    return ['it belongs to no layer: give its folder a row in test/architecture/layers.ts'];
  return importsOf(file.text).flatMap((found) => {
    const rule = brokenRule(layer, file.path, found);
    return rule === undefined ? [] : [`import of '${found.specifier}': ${rule}`];
  });
}

/** The grants of the table that no file uses, as `LAYER: NAME`. */
export function unusedGrants(files: readonly SourceFile[]): readonly string[] {
  const used = new Set(
    files.flatMap((file) => {
      const layer = layerOf(file.path);
      return importsOf(file.text).flatMap(({ specifier }) =>
        grantsFor(file.path, specifier).map((grant) => `${layer?.name}: ${grant}`),
      );
    }),
  );
  return layers
    .flatMap(({ name, imports, loads = [], packages }) =>
      [imports, loads, packages].flat().map((granted) => `${name}: ${granted}`),
    )
    .filter((grant) => !grant.endsWith(': anything') && !used.has(grant));
}

/** Returns the names of layers and packages that permit the import: a row that grants one of them is enough. */
function grantsFor(from: string, specifier: string): readonly (string | undefined)[] {
  if (specifier.startsWith('.')) return [layerOf(path.join(path.dirname(from), specifier))?.name];
  const name = packageOf(specifier);
  return name === '#plugin-api' ? [name, 'plugin-api'] : [name];
}

function brokenRule(layer: Layer, from: string, { specifier, dynamic }: Import): string | undefined {
  if (specifier.startsWith('node:'))
    return layer.never?.includes(specifier) === true ? `${layer.name} never uses ${specifier}` : undefined;
  if (includes(layer.packages, packageOf(specifier))) return undefined;
  if (specifier.startsWith('.')) {
    const target = path.join(path.dirname(from), specifier);
    if (layer.apart === true) return strayFrom(layer, from, target);
    return brokenOrder(layer, target, dynamic) ?? climb(layer, from, target);
  }
  return specifier === '#plugin-api'
    ? brokenOrder(layer, 'daemon/plugin-api/index.ts', dynamic)
    : `${layer.name} may use ${listed(layer.packages)}`;
}

function strayFrom(layer: Layer, from: string, target: string): string | undefined {
  const folder = from.split('/', 2).join('/');
  if (target.startsWith(`${folder}/`)) return undefined;
  return `a file of ${folder} may import ${listed(layer.packages)} and its own folder`;
}

function brokenOrder(layer: Layer, target: string, dynamic: boolean): string | undefined {
  const other = layerOf(target);
  if (other === undefined) return `${target} belongs to no layer`;
  if (other === layer || includes(layer.imports, other.name)) return undefined;
  if (layer.loads?.includes(other.name) !== true)
    return `${layer.name} may import ${listed(layer.imports)}, not ${other.name}`;
  return dynamic ? undefined : `${layer.name} may load ${other.name} by import('...') only`;
}

function climb(layer: Layer, from: string, target: string): string | undefined {
  const { rooms } = layer;
  if (rooms === undefined || layerOf(target) !== layer) return undefined;
  const own = rankOf(rooms, roomOf(layer, from));
  const other = roomOf(layer, target);
  if (rankOf(rooms, other) <= own) return undefined;
  return `${rooms[own]} may import ${listed(rooms.slice(0, own))} of ${layer.name}, not ${other}`;
}

/** Returns the path of the file's room within its layer: a folder, or the file itself if it is in none. */
const roomOf = ({ path: place }: Layer, file: string): string =>
  file.slice(place.length + 1).replace(/\/.*/, '');

/** Returns the number of rooms below `room`; for a file above all rooms, the number of rooms. */
function rankOf(rooms: readonly string[], room: string): number {
  const rank = rooms.indexOf(room);
  return rank === -1 ? rooms.length : rank;
}

/** The rooms of the table that do not exist, and the folders of these layers that are no room, as `LAYER: NAME`. */
export function strangeRooms(files: readonly SourceFile[]): readonly string[] {
  return layers.flatMap((layer) => {
    const { name, rooms } = layer;
    if (rooms === undefined) return [];
    const own = files.map((file) => file.path).filter((file) => file.startsWith(`${layer.path}/`));
    const found = new Set(own.map((file) => roomOf(layer, file)));
    const folders = own
      .filter((file) => file !== `${layer.path}/${roomOf(layer, file)}`)
      .map((file) => roomOf(layer, file));
    const absent = rooms.filter((room) => !found.has(room));
    const unnamed = [...new Set(folders)].filter((room) => !rooms.includes(room));
    return [...absent, ...unnamed].map((room) => `${name}: ${room}`);
  });
}

function layerOf(file: string): Layer | undefined {
  return layers.find((layer) => file === layer.path || file.startsWith(`${layer.path}/`));
}

/** Returns the package of a specifier: `a` for `a/b`, `@a/b` for `@a/b/c`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

type Allowed = readonly string[] | 'anything';

const includes = (allowed: Allowed, name: string) => allowed === 'anything' || allowed.includes(name);
const listed = (allowed: Allowed) => (allowed === 'anything' ? allowed : allowed.join(', ') || 'nothing');

/** The table as daemon/docs/layers.md shows it. */
export function layersAsMarkdown(): string {
  const rows = layers.map((layer) => [
    layer.name,
    `\`${layer.path}\``,
    listed(layer.apart === true ? ['its own folder'] : layer.imports) +
      (layer.loads === undefined ? '' : `; loads ${listed(layer.loads)} when it needs them`),
    listed(layer.packages) + (layer.never === undefined ? '' : `; never ${listed(layer.never)}`),
  ]);
  return markdownTable(['layer', 'where', 'may import', 'may use'], rows);
}

/** The rooms of the layers that have them, as daemon/docs/layers.md shows them. */
export const roomsAsMarkdown = (): string =>
  markdownTable(
    ['layer', 'its rooms, from the lowest up'],
    layers.flatMap(({ name, rooms }) => (rooms === undefined ? [] : [[name, rooms.join(', ')]])),
  );
