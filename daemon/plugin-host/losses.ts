// What the configuration names, but no plugin provides. If a plugin was set aside, it may be the one that provides it: then the
// daemon starts without it. Otherwise the configuration is wrong, and the daemon does not start.
import { reasonOf } from '../model/faults.ts';
import type { SetAside } from './manifests/admit-plugins.ts';
import { PluginFlaw } from './plugin-flaw.ts';

export class Losses {
  readonly sentences: string[] = [];
  readonly #mayLose: boolean;

  constructor(setAside: readonly SetAside[]) {
    this.#mayLose = setAside.length > 0;
  }

  /** Notes an error that a plugin which was set aside may have caused; throws any other. Returns the sentence. */
  bear(error: unknown): string {
    if (!this.#mayLose || error instanceof PluginFlaw) throw error;
    const sentence = reasonOf(error);
    this.sentences.push(sentence);
    return sentence;
  }

  /** Returns undefined if `require` returns, and the sentence of the loss if it throws an error that can be borne. */
  of(require: () => void): string | undefined {
    try {
      require();
      return undefined;
    } catch (error) {
      return this.bear(error);
    }
  }
}
