// How the daemon speaks with the agents in ramdisks; names and units are Ironic's.
import { typed } from '../lib/typed-schema.ts';
import { flag, integer, networks, path, seconds, section, text, tlsVersion } from './typed-options.ts';

export const agentSection = section({
  require_tls: flag(true, "Whether a ramdisk's callback URL must be https."),
  callback_networks: networks(
    'The networks in which agents may be, as 192.0.2.0/24 or 2001:db8::/64; the callback URL of a heartbeat must lead into one of them. Empty: everywhere but at the addresses of this host and at loopback, link-local, multicast, broadcast and unspecified addresses.',
  ),
  verify_ca: text(
    'True',
    'Whether the certificate of an agent that brought none of its own with its heartbeat is verified: True against what the system trusts, a file (PEM) against the certificates in it, False not at all.',
  ),
  tls_minimum_version: tlsVersion('The oldest version of TLS that is spoken with agents.'),
  command_timeout: seconds(60, 1, 'The time in seconds in which an agent must answer a request.'),
  max_command_attempts: integer(
    3,
    { minimum: 1 },
    'How many times a command is sent to an agent that cannot be reached.',
  ),
  command_wait_attempts: integer(
    100,
    { minimum: 1 },
    'How many times an agent is asked whether a command has ended that the daemon waits for.',
  ),
  command_wait_interval: seconds(6, 1, 'The time in seconds between two such questions.'),
  deploy_logs_collect: typed<'always' | 'on_failure' | 'never'>({
    type: 'string',
    enum: ['always', 'on_failure', 'never'],
    default: 'on_failure',
    description: 'When the logs of a ramdisk are fetched from its agent and kept.',
  }),
  deploy_logs_storage_backend: typed<'local'>({
    type: 'string',
    enum: ['local'],
    default: 'local',
    description: 'Where the logs of ramdisks are kept: in the directory deploy_logs_local_path.',
  }),
  deploy_logs_local_path: path(
    '$state_path/ramdisk-logs',
    'The directory that the logs of ramdisks are kept in, one tar.gz each. Nothing removes them.',
  ),
});
