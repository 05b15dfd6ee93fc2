// Fills in kickstart templates. Templates have no logic, so a user who chooses a template cannot run code on the daemon's host.
import type { ConfigDriveFile, InstallerReport } from '#plugin-api';

/** The names that a template may contain in double braces. */
export const placeholders = [
  'source',
  'liveimg_url',
  'config_drive',
  'agent_token',
  'heartbeat_url',
  'report_start',
  'report_end',
  'report_error',
] as const;
type Placeholder = (typeof placeholders)[number];

export interface Installation {
  readonly imageUrl: string;
  /** SHA-256 of the image in hexadecimal; null: the installer does not verify it. */
  readonly sha256: string | null;
  readonly configDrive: readonly ConfigDriveFile[];
  readonly token: string;
  readonly heartbeatUrl: string;
  /** Whether the installer accepts the daemon's certificate without verifying it. */
  readonly insecure: boolean;
}

const NAMED = /\{\{([^{}]*)\}\}/g;
// the prefix of the placeholders in templates that were written for Ironic
const OF_IRONIC = 'ks_options.';

/** Returns why the template cannot be used, as part of a sentence; undefined when it can. */
export function templateFlaw(template: string): string | undefined {
  if (template.includes('{%') || template.includes('{#'))
    return 'it has {% or {# of a template language; only names in double braces, such as {{ source }}, are filled in';
  const names = [...template.matchAll(NAMED)].map(([, name = '']) => bare(name));
  const unknown = names.find((name) => !isPlaceholder(name));
  if (unknown !== undefined) return `it names {{ ${unknown} }}; known are ${placeholders.join(', ')}`;
  const reports = names.includes('report_end') || names.includes('heartbeat_url');
  return reports
    ? undefined
    : 'it has no {{ report_end }}, so the daemon would not learn that the installation is over';
}

const isPlaceholder = (name: string): name is Placeholder =>
  (placeholders as readonly string[]).includes(name);

function bare(name: string): string {
  const trimmed = name.trim();
  return trimmed.startsWith(OF_IRONIC) ? trimmed.slice(OF_IRONIC.length) : trimmed;
}

/** Returns the template with its names filled in. `templateFlaw` must have found no flaw in it. */
export function kickstartOf(template: string, installation: Installation): string {
  const values: Readonly<Record<Placeholder, string>> = {
    source: sourceOf(installation),
    liveimg_url: installation.imageUrl,
    config_drive: configDriveScript(installation.configDrive),
    agent_token: installation.token,
    heartbeat_url: installation.heartbeatUrl,
    report_start: reportCommand(installation, 'start', 'The installation begins.'),
    report_end: reportCommand(installation, 'end', 'The installation is complete.'),
    report_error: reportCommand(
      installation,
      'error',
      'The installer failed; the console of the machine says why.',
    ),
  };
  return template.replace(NAMED, (_, name: string) => values[bare(name) as Placeholder]);
}

/** A URL that ends in a slash stands for a repository of packages, any other URL for an image of a file system. */
function sourceOf({ imageUrl, sha256 }: Installation): string {
  if (isRepository(imageUrl)) return `url --url="${imageUrl}"\n%packages --ignoremissing\n%end`;
  return `liveimg --url="${imageUrl}"${sha256 === null ? '' : ` --checksum=${sha256}`}`;
}

export const isRepository = (url: string): boolean => url.endsWith('/');

/**
 * Returns shell commands that send a report. They try up to twelve times, because the daemon may be busy with the node or
 * restarting.
 */
function reportCommand(
  { token, heartbeatUrl, insecure }: Installation,
  status: InstallerReport['status'],
  message: string,
): string {
  const body = JSON.stringify({
    callback_url: '',
    agent_token: token,
    agent_status: status,
    agent_status_message: message,
  });
  const headers = ['Content-Type: application/json', 'X-OpenStack-Ironic-API-Version: 1.72'];
  return [
    'for attempt in 1 2 3 4 5 6 7 8 9 10 11 12; do',
    `  curl --fail --silent --show-error --max-time 60${insecure ? ' --insecure' : ''} \\`,
    ...headers.map((header) => `    --header '${header}' \\`),
    `    --data '${body}' '${heartbeatUrl}' && break`,
    '  sleep 10',
    'done',
  ].join('\n');
}

const SEED = '/var/lib/cloud/seed/config_drive';

/** Returns a %post section that puts the files where cloud-init looks for a config drive; empty when there are none. */
function configDriveScript(files: readonly ConfigDriveFile[]): string {
  if (files.length === 0) return '';
  const written = files.flatMap(([name, content]) => {
    const file = `'${SEED}/${name}'`;
    const lines =
      Buffer.from(content)
        .toString('base64')
        .match(/.{1,76}/g) ?? [];
    return [
      `mkdir -p "$(dirname ${file})"`,
      `base64 --decode > ${file} <<'END'`,
      ...lines,
      'END',
      `chmod 600 ${file}`,
    ];
  });
  return ['%post', ...written, '%end'].join('\n');
}
