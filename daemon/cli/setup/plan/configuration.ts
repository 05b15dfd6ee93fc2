// The lines that setup adds to the configuration file. An option that the operator has set stays as it is.
import { isLoopback } from '../../../lib/network/ip.ts';
import { type LoadedConfig, loadConfig } from '../../../config/load.ts';
import { thisMachine } from '../../../config/machine.ts';
import { sourceText } from '../../../config/settings.ts';
import { inTreeSections } from '../../../plugin-host/configured-plugins.ts';
import type { SetupAnswers } from '../answers.ts';
import { CONFIG_FILE, CERTIFICATE, KEY } from '../paths.ts';

export interface AddedConfiguration {
  /** The lines to add, with their section lines; empty when nothing is to be added. */
  readonly lines: readonly string[];
  /** A sentence for each option that the operator has set otherwise. */
  readonly kept: readonly string[];
  /** What the daemon reads with these lines. */
  readonly loaded: LoadedConfig;
}

type Wanted = readonly [section: string, option: string, value: string];

/** `ports`: those of the HTTP server for boot files and of the listener for ramdisks. */
export function setupOptions(
  answers: SetupAnswers,
  ports: { readonly bootHttp: number; readonly ramdisk: number },
): readonly Wanted[] {
  const { tls } = answers;
  const isLocal = isLoopback(answers.apiAddress);
  return [
    ['DEFAULT', 'state_path', '/var/lib/ironic-edge'],
    ['DEFAULT', 'my_ip', answers.address],
    ['DEFAULT', 'auth_strategy', 'http_basic'],
    ['DEFAULT', 'http_basic_auth_user_file', '/etc/ironic-edge/htpasswd'],
    ['api', 'host_ip', answers.apiAddress],
    ['api', 'enable_ramdisk_endpoints', 'false'],
    ...(isLocal
      ? []
      : ([
          ['api', 'enable_ssl_api', 'true'],
          ['api', 'cert_file', tls?.certificate ?? CERTIFICATE],
          ['api', 'key_file', tls?.key ?? KEY],
        ] as const)),
    ['ramdisk', 'port', String(ports.ramdisk)],
    ['boot_http', 'port', String(ports.bootHttp)],
    ...dhcpOptions(answers),
    ...(answers.keepsRamdisk ? ([['deploy', 'fast_track', 'true']] as const) : []),
  ];
}

function dhcpOptions({ dhcp, range, subnet, interface: name }: SetupAnswers): readonly Wanted[] {
  if (dhcp === 'none') return [];
  const words = [subnet, ...(dhcp === 'own' ? [`range=${range}`] : []), `interface=${name}`];
  return [
    ['dhcp_server', 'subnet', words.join(' ')],
    ...(dhcp === 'proxy' ? ([['dhcp_server', 'mode', 'proxy']] as const) : []),
    ['tftp_server', 'enabled', 'true'],
  ];
}

/** `text`: of the file, without the lines of earlier runs. Throws ConfigurationError when the result is invalid. */
export function configurationFor(text: string, wanted: readonly Wanted[]): AddedConfiguration {
  const operators = loaded(text);
  const own = wanted.map(([section, option, value]) => {
    const source = operators.sources[section]?.[option];
    if (source?.kind !== 'file') return { section, line: `${option} = ${value}` };
    const set = [operators.values[section]?.[option]].flat().join(',');
    if (set === value) return {};
    return {
      kept: `${sourceText(source)} sets [${section}] ${option} = ${set}; setup would set ${value}, and keeps yours`,
    };
  });
  const lines = own.flatMap(({ section, line }, index) => {
    if (line === undefined || section === undefined) return [];
    const before = own.slice(0, index).findLast((each) => each.line !== undefined);
    return before?.section === section ? [line] : [`[${section}]`, line];
  });
  return {
    lines,
    kept: own.flatMap(({ kept }) => kept ?? []),
    loaded: loaded(`${text}\n${lines.join('\n')}\n`),
  };
}

const loaded = (text: string): LoadedConfig =>
  loadConfig({
    file: { path: CONFIG_FILE, text },
    environment: {},
    sections: inTreeSections(),
    machine: thisMachine(),
  });
