// How a plugin is broken, and what is said of it.
import type { PluginFiles } from '../../fakes/plugin-folder.ts';

/** `aside`: the folder is reported and skipped; `unused`: its code is not loaded. */
type WhenNotEnabled = 'aside' | 'unused';

export interface Variant {
  readonly what: string;
  readonly files?: PluginFiles;
  /** Changes the search path before the start. */
  readonly prepare?: (searchPath: string) => void;
  readonly sentence: RegExp;
  /** What the check says of the folder when that differs; `undefined` when the folder itself is sound. */
  readonly checked?: RegExp | undefined;
  readonly otherwise: WhenNotEnabled;
}
