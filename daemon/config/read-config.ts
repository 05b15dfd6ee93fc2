// Reads the configuration of this process: finds the file, collects the facts of the machine, and calls `loadConfig`.
import { readFileSync } from 'node:fs';
import { ConfigurationError } from './configuration-error.ts';
import { type ConfigFile, type LoadedConfig, loadConfig } from './load.ts';
import { thisMachine } from './machine.ts';
import type { SectionSource } from './options.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const STANDARD_FILES = ['/etc/ironic-edge/ironic.conf', '/etc/ironic/ironic.conf'];

/**
 * `configFile`: the value of --config-file. `sections`: the sections of plugins; pass none to find out where the plugins are.
 * Throws ConfigurationError.
 */
export function readConfig(request: {
  readonly configFile: string | undefined;
  readonly environment: Environment;
  readonly sections: readonly SectionSource[];
  /** See `loadConfig`. */
  readonly ownSections?: readonly string[];
}): LoadedConfig {
  const { environment, sections, ownSections } = request;
  const named = request.configFile ?? environment['IRONIC_CONFIG_FILE'];
  const file = named === undefined ? firstFile(STANDARD_FILES) : namedFile(named);
  return loadConfig({ file, environment, sections, ownSections, machine: thisMachine() });
}

function namedFile(path: string): ConfigFile {
  const file = readIfPresent(path);
  if (file !== undefined) return file;
  throw new ConfigurationError([
    `${path}: no such file; correct --config-file or IRONIC_CONFIG_FILE, whichever names it`,
  ]);
}

/** Reads the first file that exists; returns undefined if there is none. Throws ConfigurationError if it cannot be read. */
export function firstFile(paths: readonly string[]): ConfigFile | undefined {
  for (const path of paths) {
    const file = readIfPresent(path);
    if (file !== undefined) return file;
  }
  return undefined;
}

function readIfPresent(path: string): ConfigFile | undefined {
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new ConfigurationError([`${path}: expected a file that this user may read: ${message}`]);
  }
}
