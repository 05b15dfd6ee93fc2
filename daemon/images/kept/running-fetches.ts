// The images of the catalogue that are being fetched or uploaded, and how far each has come.
import { fault } from '../../model/faults.ts';

interface Progress {
  readonly bytes: number;
  /** null: not known yet. */
  readonly total: number | null;
}

export class RunningFetch {
  progress: Progress = { bytes: 0, total: null };
  isEnded = false;
  /** Called after every piece, and at the end. */
  readonly watchers = new Set<() => void>();
  readonly cancel = new AbortController();

  tell(progress: Progress): void {
    this.progress = progress;
    for (const watcher of this.watchers) watcher();
  }
}

export class RunningFetches {
  readonly #running = new Map<string, RunningFetch>();

  /** `uuid`: of the image. */
  of(uuid: string): RunningFetch | undefined {
    return this.#running.get(uuid);
  }

  begin(uuid: string): RunningFetch {
    const fetch = new RunningFetch();
    this.#running.set(uuid, fetch);
    return fetch;
  }

  end(uuid: string, fetch: RunningFetch): void {
    if (this.#running.get(uuid) === fetch) this.#running.delete(uuid);
    fetch.isEnded = true;
    fetch.tell(fetch.progress);
  }

  /** Ends the fetch of an image that has been deleted, or has another source now. */
  cancel(uuid: string): void {
    this.#running.get(uuid)?.cancel.abort(fault('ImageChanged', {}));
    this.#running.delete(uuid);
  }
}
