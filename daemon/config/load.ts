// Loads the configuration: the environment overrides the file, which overrides defaults. Pure; read-config.ts does I/O.
import { type Config, coreSource } from './sections/core-sections.ts';
import { ConfigurationError } from './configuration-error.ts';
import { parseIni } from './ini.ts';
import type { HostFacts } from './machine.ts';
import { isSecretOption, mergeSections, type Option, type Options, type SectionSource } from './options.ts';
import { resolveValues } from './resolve-values.ts';
import type { OptionValue } from './section-schema.ts';
import { settingsFromEnvironment, settingsFromFile, type Source } from './settings.ts';

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** One T for every option, by section and name. */
export type PerOption<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

export interface LoadedConfig {
  /** The path of the file that was read. */
  readonly file: string | undefined;
  readonly config: Config;
  /** The values of all options, including those of plugins. */
  readonly values: PerOption<OptionValue>;
  readonly sources: PerOption<Source>;
  /** Whether the value must not be shown. */
  readonly secret: PerOption<boolean>;
  /** Sentences for the log. */
  readonly warnings: readonly string[];
}

/**
 * `sections` are those of plugins. Throws one ConfigurationError for all unreadable lines and invalid values. Unknown
 * names only cause warnings.
 */
export function loadConfig(input: {
  readonly file: ConfigFile | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly sections: readonly SectionSource[];
  readonly machine: HostFacts;
  /** The only sections in which unknown names cause warnings, for programs that do not know all sections. */
  readonly ownSections?: readonly string[] | undefined;
}): LoadedConfig {
  const { file, machine, ownSections } = input;
  const warnsOf = (section: string) => ownSections === undefined || ownSections.includes(section);
  const options = mergeSections([coreSource(machine), ...input.sections]);
  const ini = parseIni(file?.text ?? '');
  const path = file?.path ?? '';
  const fromFile = settingsFromFile(options, path, ini.entries, warnsOf);
  const fromEnvironment = settingsFromEnvironment(options, input.environment, warnsOf);
  const settings = new Map([...fromFile.byOption, ...fromEnvironment.byOption]);
  const { values, problems } = resolveValues(options, settings, machine.workingDirectory);

  const unreadable = ini.problems.map(({ line, message }) => `${path}:${line}: ${message}`);
  if (unreadable.length + problems.length > 0) throw new ConfigurationError([...unreadable, ...problems]);
  const plain = perOption(options, (option) => values.get(option) ?? null);
  return {
    file: file?.path,
    config: plain as Config,
    values: plain,
    sources: perOption(options, (option) => settings.get(option)?.source ?? { kind: 'default' }),
    secret: perOption(options, isSecretOption),
    warnings: [
      ...fromFile.warnings,
      ...fromEnvironment.warnings,
      ...(warnsOf('standby') ? warnKeylessPeers(plain as Config) : []),
    ],
  };
}

const warnKeylessPeers = ({ standby }: Config): readonly string[] =>
  standby.peers.length === 0 || standby.key_file !== null
    ? []
    : [
        '[standby] peers is set without key_file, so no peer is asked or believed: if another host takes over, this one does not give way; set key_file to a file with the same key on all hosts: openssl rand -hex 32',
      ];

/** The result is frozen, because plugins get the values. */
function perOption<T>(options: Options, of: (option: Option) => T): PerOption<T> {
  const sections = [...options].map(([section, named]) => [
    section,
    Object.freeze(Object.fromEntries([...named].map(([name, option]) => [name, Object.freeze(of(option))]))),
  ]);
  return Object.freeze(Object.fromEntries(sections)) as PerOption<T>;
}
