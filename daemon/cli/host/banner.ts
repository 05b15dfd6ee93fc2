// The text printed when the daemon is ready: what is enabled, and the commands to try next.
import { realpathSync } from 'node:fs';
import path from 'node:path';

const CREDENTIALS = {
  noauth: 'OS_AUTH_TYPE=none',
  http_basic: 'OS_AUTH_TYPE=http_basic OS_USERNAME=USER OS_PASSWORD=PASSWORD',
} as const;

/** The hardware types whose BMCs are reached with an address, a user and a password, and the first word of these fields. */
const LOGINS: Readonly<Record<string, string>> = {
  ipmi: 'ipmi',
  'intel-ipmi': 'ipmi',
  redfish: 'redfish',
  idrac: 'redfish',
};
/** Hardware types that need nothing to reach a machine. */
const WITHOUT_ACCESS: ReadonlySet<string> = new Set(['fake-hardware', 'manual-management']);

export function banner(running: {
  readonly url: string;
  readonly authentication: keyof typeof CREDENTIALS;
  readonly hardwareTypes: readonly string[];
  readonly hooks: readonly string[];
  readonly database: string;
  /** How this program is called in a shell. */
  readonly program: string;
}): string {
  const lines = [
    `export ${CREDENTIALS[running.authentication]} OS_ENDPOINT=${running.url}`,
    ...firstNode(running.hardwareTypes).map((words) => `${running.program} ${words}`),
  ];
  return `
ironic-edge is ready: ${running.url}
  hardware types   ${running.hardwareTypes.join(', ')}
  inspection hooks ${running.hooks.join(', ')}
  database         ${running.database}

Next: open ${running.url}/ui/ or, in a shell:
${lines.map((line) => `  ${line}\n`).join('')}
`;
}

/** The commands that enrol a first machine, without the name of the program. */
function firstNode(types: readonly string[]): readonly string[] {
  const type = types.find((each) => each === 'ipmi') ?? types[0];
  if (type === undefined) return [];
  if (type === 'simulated') return ['rack 1 &', 'node manage rack-001 --wait'];
  const create = `node create driver=${type} name=node-1`;
  const manage = 'node manage node-1 --wait';
  if (WITHOUT_ACCESS.has(type)) return [create, manage];
  const login = LOGINS[type];
  if (login === undefined)
    return [`driver properties ${type}`, `${create} driver_info/NAME=VALUE ...`, manage];
  const access = ['address=BMC', 'username=USER', 'password=PASSWORD'].map(
    (value) => ` driver_info/${login}_${value}`,
  );
  return [create + access.join(''), manage];
}

/** Returns `ironic-edge` if the shell finds this program under that name, and otherwise its path. */
export function programName(searched = ''): string {
  const own = path.join(import.meta.dirname, '../ironic-edge');
  const found = searched
    .split(':')
    .map((folder) => path.join(folder, 'ironic-edge'))
    .find((file) => realPath(file) !== undefined);
  return found !== undefined && realPath(found) === realPath(own) ? 'ironic-edge' : own;
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
