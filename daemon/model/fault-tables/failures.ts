// The faults with status 5xx: requests and work that cannot be carried out. Each has a code, a status, and a sentence with
// parameters in braces.
import type { FaultSentences } from '../fault.ts';

export const failures = {
  // 500, 503
  AllocationFailed: [500, 'Failed to process allocation {allocation}: {reason}.'],
  AgentFailed: [500, 'The agent of node {node} failed at {command}: {reason}'],
  ImageUnusable: [500, 'Image {image} cannot be used: {reason}'],
  DhcpFailed: [500, 'DHCP for node {node} failed: {reason}. {remedy}'],
  BmcFailure: [500, '{operation} failed for node {node} on BMC {address}: {reason}'],
  BmcRefused: [
    500,
    '{operation} failed for node {node}: BMC {address} answered with {status} ({message}): {reason}',
  ],
  BmcCredentialsRefused: [
    500,
    '{operation} failed for node {node}: BMC {address} refused the login: {reason}. Check the user name and password that the daemon has for it.',
  ],
  BmcPasswordChangeRequired: [
    500,
    '{operation} failed for node {node}: BMC {address} does nothing until its password is changed: {reason}. Run: ironic-edge bmc rotate {node}',
  ],
  BmcPasswordRefused: [
    500,
    '{operation} failed for node {node}: the rules of BMC {address} refuse the new password: {reason}',
  ],
  BmcPasswordPending: [
    503,
    'Whether the BMC of node {node} has taken its new password is not known: {reason}. Both passwords are kept. Rotate again when the BMC answers.',
  ],
  BmcPasswordUnknown: [
    500,
    'BMC of node {node} takes neither the password that the daemon has for it nor the one that it was being given. Both are kept: ironic-edge bmc show-login {node} shows them. Set {option} in driver_info to the one that the BMC takes, and rotate again.',
  ],
  PluginFailed: [
    500,
    'The {type} interface {name} of plugin {plugin} failed in {operation}{place}: {reason}',
  ],
  Internal: [500, 'Internal error; the log has the details under request {request}.'],
  NoFreeWorker: [
    503,
    'Requested action cannot be performed due to lack of free conductor workers ({size} are busy, [conductor] workers_pool_size). Try again later.',
  ],
  AgentUnreachable: [
    503,
    'The agent of node {node} cannot be reached at {url}: {reason}. Check the console of the machine for messages from its ramdisk.',
  ],
  BmcNotReady: [
    503,
    '{operation} failed for node {node}: BMC {address} is not ready: {reason}. Try again in {seconds} s.',
  ],
  ConcurrentActionLimit: [
    503,
    'Unable to {action} node {node}: {count} such operations are already running, which is the limit ([conductor] max_concurrent_{kind}). Try again later.',
  ],
  BmcUnreachable: [
    503,
    'Node {node} has the fault "power failure": its BMC has stopped answering. Try again when it answers.',
  ],
  Overloaded: [
    503,
    'Requests from {peer}, or all requests together, use all the memory they are allowed ([api] memory_budget = {mebibytes} MiB). Try again in a few seconds.',
  ],
  // 503 and not 429: the agent gives up an inspection after any 4xx except 409
  TooManyRequests: [
    503,
    '{address} has sent more than {burst} requests to {path} in a short time; {rate} per second are answered. Try again in a few seconds.',
  ],
  TooManyStreams: [
    503,
    'Too many {what} are open: at most {limit} in total, and {own} of one user or address. Close one, or let several readers share one.',
  ],
  LoginsBusy: [
    503,
    'Too many logins in progress (at most {limit} may wait per user and address, and {all} in total). Try again later.',
  ],
  DiscoveryFull: [
    503,
    'The machine was not enrolled: {limit} discovered nodes are in state enroll, which is the limit ([auto_discovery] max_enrolled_nodes). Manage or delete some of them, or raise the limit; the machine will try again.',
  ],
  DatabaseUnwritable: [
    503,
    'The database cannot be written: {reason}. The request was not stored. Free space on the disk that holds [database] path, or make the database writable, then try again.',
  ],
  DatabaseBusy: [
    503,
    'The database cannot be written: another program is writing to it ([database] path). The request was not stored. Try again in a moment; if this persists, stop that program.',
  ],
  ProviderUnavailable: [503, 'The sign-in at {issuer} cannot be used now: {reason}. Passwords still work.'],
  ShuttingDown: [503, 'The service is shutting down and accepts no new work. Try again when it is back.'],

  // 507
  NoRoomForUpload: [507, 'Image {image} cannot be stored: {reason}'],
} as const satisfies FaultSentences;
