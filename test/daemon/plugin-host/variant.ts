// A way in which a plugin is broken, and the sentences in which the daemon and `ironic-edge plugin check` report it.
import type { PluginFiles } from '../../fakes/plugin-folder.ts';

/** What happens if the plugin is not enabled. `aside`: its folder is reported and skipped; `unused`: its code is not loaded. */
type WhenNotEnabled = 'aside' | 'unused';

export interface Variant {
  readonly what: string;
  readonly files?: PluginFiles;
  /** Changes the search path before the start. */
  readonly prepare?: (searchPath: string) => void;
  readonly sentence: RegExp;
  /** The check's sentence, if it differs from `sentence`; `undefined` if the check finds nothing wrong with the plugin's folder. */
  readonly checked?: RegExp | undefined;
  readonly otherwise: WhenNotEnabled;
}
