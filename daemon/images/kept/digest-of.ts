// The digest of a file, computed in a thread: a large image would keep the main thread from its work for seconds.
import { lazyThreads } from '../../lib/lazy-threads.ts';
import type { HashAlgorithm } from '../../model/machine/image-checksum.ts';

/** One at a time: the disk is slower than the computation. A thread that fails while it has no task is replaced. */
const threads = lazyThreads(
  { filename: new URL('digest-worker.ts', import.meta.url).href, maxThreads: 1 },
  () => {},
);

/** Resolves to the digest in hexadecimal. Rejects when the file cannot be read. */
export const digestOf = (file: string, algorithm: HashAlgorithm): Promise<string> =>
  threads.run({ file, algorithm }, { name: 'digestInThread' }) as Promise<string>;
