// Finds files that import each other in a circle. Type imports count too: such files can only be understood together.
import path from 'node:path/posix';
import { importsOf } from './imports.ts';
import type { SourceFile } from './source-tree.ts';

const PLUGIN_API = 'daemon/plugin-api/index.ts';

/** Returns each circle as the sorted paths of its files; circles that share a file count as one. Dynamic imports count too. */
export function circlesIn(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const known = new Set(files.map((file) => file.path));
  const imports = new Map(
    files.map((file) => [file.path, targetsOf(file).filter((target) => known.has(target))]),
  );
  return new CircleSearch(imports).run();
}

const targetsOf = (file: SourceFile): readonly string[] =>
  importsOf(file.text).flatMap(({ specifier }) => {
    if (specifier === '#plugin-api') return [PLUGIN_API];
    return specifier.startsWith('.') ? [path.join(path.dirname(file.path), specifier)] : [];
  });

/** Tarjan's search for strongly connected components. */
class CircleSearch {
  readonly #imports: ReadonlyMap<string, readonly string[]>;
  readonly #order = new Map<string, number>();
  readonly #lowest = new Map<string, number>();
  readonly #open: string[] = [];
  readonly #circles: string[][] = [];

  constructor(imports: ReadonlyMap<string, readonly string[]>) {
    this.#imports = imports;
  }

  run(): readonly (readonly string[])[] {
    for (const file of this.#imports.keys()) if (!this.#order.has(file)) this.#visit(file);
    return this.#circles;
  }

  #visit(file: string): void {
    this.#order.set(file, this.#order.size);
    this.#lowest.set(file, this.#order.size - 1);
    this.#open.push(file);
    for (const target of this.#imports.get(file) ?? []) {
      if (!this.#order.has(target)) {
        this.#visit(target);
        this.#lower(file, this.#lowest.get(target));
      } else if (this.#open.includes(target)) this.#lower(file, this.#order.get(target));
    }
    if (this.#lowest.get(file) !== this.#order.get(file)) return;
    const component = this.#open.splice(this.#open.indexOf(file));
    if (component.length > 1) this.#circles.push(component.toSorted());
  }

  #lower(file: string, to = Infinity): void {
    this.#lowest.set(file, Math.min(this.#lowest.get(file) ?? Infinity, to));
  }
}
