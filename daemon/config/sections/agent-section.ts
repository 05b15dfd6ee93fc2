// How the daemon talks to the agents in ramdisks. Options that Ironic also has keep Ironic's names and units.
import { typed } from '../../lib/json/typed-schema.ts';
import { flag, integer, networks, path, seconds, section, text, tlsVersion } from './typed-options.ts';

export const agentSection = section({
  require_tls: flag(true, "Whether an agent's callback URL must be https."),
  callback_networks: networks(
    'The networks that agents may be in, as in 192.0.2.0/24 or 2001:db8::/64; the callback URL of a heartbeat must point into one of them. Empty: any address except those of this host and loopback, link-local, multicast, broadcast and unspecified addresses.',
  ),
  verify_ca: text(
    'True',
    "How the TLS certificate of an agent is verified when its heartbeat did not include one; driver_info/agent_verify_ca of the node takes precedence. True: against the system's trusted certificates. A path: against the certificates in that file (PEM). False: not at all.",
  ),
  allow_md5_checksum: flag(
    false,
    'Whether images may be verified with MD5, by the daemon and by ramdisks. MD5 does not protect against a forged image.',
  ),
  tls_minimum_version: tlsVersion('The oldest TLS version accepted from agents.'),
  command_timeout: seconds(60, 1, 'How long an agent may take to answer a request, in seconds.'),
  max_command_attempts: integer(
    3,
    { minimum: 1 },
    'The number of attempts to send a command, or to ask for its result, while the agent cannot be reached.',
  ),
  command_wait_attempts: integer(
    100,
    { minimum: 1 },
    'The number of intervals of command_wait_interval after which an agent command that is still running counts as failed.',
  ),
  command_wait_interval: seconds(
    6,
    1,
    'Seconds between two requests for the result of a running command. Agents usually delay the answer until the command has ended; the interval matters only if an agent answers earlier or cannot be reached.',
  ),
  deploy_logs_collect: typed<'always' | 'on_failure' | 'never'>({
    type: 'string',
    enum: ['always', 'on_failure', 'never'],
    default: 'on_failure',
    description: "After which operations the agent's logs are fetched and stored.",
  }),
  deploy_logs_storage_backend: typed<'local'>({
    type: 'string',
    enum: ['local'],
    default: 'local',
    description: "Where the agents' logs are stored. local: in the directory deploy_logs_local_path.",
  }),
  deploy_logs_local_path: path(
    '$state_path/ramdisk-logs',
    "The directory for the agents' logs, one tar.gz per ramdisk. The daemon never deletes them.",
  ),
});
