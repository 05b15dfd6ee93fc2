// Installs and removes plugins. At every moment the daemon finds either the whole old version or the whole new one.
import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '../conformance/check-plugin.ts';
import { readPlugin } from '../../plugin-host/manifests/discover.ts';
import type { Plugin } from '../../plugin-host/manifests/manifest.ts';
import { openPackage } from './package-file.ts';
import {
  activate,
  activeFolder,
  discard,
  discardOthers,
  type Origin,
  originOf,
  storePlugin,
} from './plugin-store.ts';
import { type Expected, trustedSigner } from './signer-trust.ts';

/** Where plugins are installed: one directory of [plugins] path. */
export interface Site {
  readonly directory: string;
  /**
   * Says that the daemon could not start, or what it would start without, and why; undefined when it starts with everything that
   * the configuration names.
   */
  readonly startFailure: () => Promise<string | undefined>;
}

export interface Package extends Pick<Origin, 'origin' | 'installed_at'> {
  readonly bytes: Buffer;
  readonly expected: Omit<Expected, 'installed'>;
}

export interface Installed {
  readonly plugin: Plugin;
  /** Who signed the plugin, in words. */
  readonly signer: string;
  /** The version that was installed before; undefined if there was none, or its manifest is not valid for this daemon. */
  readonly replaced: string | undefined;
  /** Whether it declares the same options as the version before, or none if there was none. */
  readonly hasSameOptions: boolean;
}

/** Throws an Error that gives the reason; then nothing has changed. */
export async function installPlugin(
  { bytes, origin, installed_at, expected }: Package,
  { directory, startFailure }: Site,
  check: (folder: string) => Promise<readonly Finding[]>,
): Promise<Installed> {
  const opened = openPackage(bytes, origin);
  const { name } = opened;
  const before = activeFolder(directory, name);
  const installed = before === undefined ? undefined : originOf(before)?.signer;
  const signer = trustedSigner(opened.signer, { ...expected, installed });
  const folder = storePlugin(directory, opened, { origin, signer: opened.signer ?? null, installed_at });
  try {
    const plugin = readPlugin(folder);
    refuseOtherName(plugin, name);
    refuseFlawed(await check(folder));
    await swap({ directory, startFailure }, { name, before, after: folder });
  } catch (error) {
    discard(folder);
    throw error;
  }
  const former = before === undefined ? undefined : manifestIn(before);
  discardOthers(directory, name, [folder, before]);
  const plugin = readPlugin(folder);
  const hasSameOptions = isDeepStrictEqual(plugin.manifest.configuration ?? {}, former?.configuration ?? {});
  return { plugin, signer, replaced: former?.version, hasSameOptions };
}

/** Throws an Error that gives the reason; then nothing has changed. */
export async function removePlugin(site: Site, name: string): Promise<void> {
  const before = activeFolder(site.directory, name);
  if (before === undefined) throw new Error(`there is no installed plugin ${name} in ${site.directory}`);
  await swap(site, { name, before, after: undefined });
  discardOthers(site.directory, name, []);
}

interface Swap {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Makes the change, and undoes it when the daemon would start with everything before the change but not after it. */
async function swap({ directory, startFailure }: Site, { name, before, after }: Swap): Promise<void> {
  const wasWhole = (await startFailure()) === undefined;
  try {
    activate(directory, name, after);
    const failure = wasWhole ? await startFailure() : undefined;
    if (failure !== undefined) throw new Error(`the change was undone: after it, ${failure}`);
  } catch (error) {
    activate(directory, name, before);
    throw error;
  }
}

function refuseOtherName({ manifest }: Plugin, name: string): void {
  if (manifest.name !== name)
    throw new Error(`the plugin ${manifest.name} is in a folder named ${name}; pack it again`);
}

function refuseFlawed(findings: readonly Finding[]): void {
  const flaws = findings.flatMap(({ subject, problems }) =>
    problems.map((problem) => `${subject}: ${problem}`),
  );
  if (flaws.length > 0)
    throw new Error(`it does not pass the check, and nothing was installed:\n  ${flaws.join('\n  ')}`);
}

function manifestIn(folder: string): Plugin['manifest'] | undefined {
  try {
    return readPlugin(folder).manifest;
  } catch {
    // the old manifest is not valid for this daemon, for example because of its plugin API version
    return undefined;
  }
}
