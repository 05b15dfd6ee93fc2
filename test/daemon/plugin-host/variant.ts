// A way in which a plugin is broken, and the sentences in which the daemon and the check report it.
import type { PluginFiles } from '../../fakes/plugin-folder.ts';

/** `aside`: the folder is reported and skipped; `unused`: its code is not loaded. */
type WhenNotEnabled = 'aside' | 'unused';

export interface Variant {
  readonly what: string;
  readonly files?: PluginFiles;
  /** Changes the search path before the start. */
  readonly prepare?: (searchPath: string) => void;
  readonly sentence: RegExp;
  /** The check's sentence when it is not `sentence`; `undefined` when the check finds nothing wrong with the folder itself. */
  readonly checked?: RegExp | undefined;
  readonly otherwise: WhenNotEnabled;
}
