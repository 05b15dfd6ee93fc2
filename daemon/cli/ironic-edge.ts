// The ironic-edge command. Each command is imported when it is called, so the daemon (`serve`) does not load the others.
import { type Command, groupOf, type LoadCommand } from './command.ts';
import { EXIT_CODES_HELP, exitCodeFor } from './exit-codes.ts';
import { outputTo } from './output.ts';
import { RecordsReplaced } from '../lib/peer-site.ts';
import { reasonOf } from '../model/faults.ts';
import type { RecordWord } from './records/record-kinds.ts';

const USAGE = `usage: ironic-edge COMMAND [OPTIONS]

  setup                         make this host ready, by a few questions or by options; take it back
  serve                         run the daemon
  config check|show|document    check, show or document the configuration
  doctor                        find what is wrong, and name what solves it
  backup create|rehearse        copy the database, also while the daemon runs; try an upgrade on a copy
  restore FILE                  bring a backup back
  standby promote               let this host take over from one that has failed
  bmc rotate|show-login         give BMCs passwords of their own; show a login
  quarantine list|release       list the nodes held back after a restore; release them
  node list                     list the nodes of a running daemon
  node create|show|set|delete   enrol, show, change and delete nodes
  create FILE...                create the chassis, nodes, ports and runbooks that files describe
  node VERB NODE...             manage, inspect, provide, deploy, power on and more; --wait shows the progress
  node timeline NODE            print what was seen of a machine's boot; --follow waits for more
  node drift NODE               print what the last inspection found changed in a machine
  node console NODE             type on a machine's serial console; --log prints what it showed
  node unknown                  list machines that were seen and are not nodes
  token USER                    make a token for a program that uses the API
  port, port-group, chassis     list, show, create, set, unset and delete these records
  expected                      the machines that are expected; "expected import FILE" reads delivery lists
  volume-connector|-target      the same for volumes
  allocation                    find and reserve nodes
  deploy-template, runbook      lists of steps
  image                         the catalogue of images; "image add" knows the images of distributions
  profile                       what is the same for many instances, for "node deploy --profile"
  class                         what machines of a resource class must be made of; "class make NODE" describes one
  discover list|scan            the BMCs that were found on the network; look for more
  inspection-rule               rules for what inspection stores
  driver, conductor             what the daemon offers
  shard                         how many nodes are in each shard
  audit                         show who changed what through the API
  clean-steps NODE              list a node's clean steps
  plan NODE TARGET              show the steps a provision request would run
  inspect reprocess|replay      run inspection hooks and rules again, on stored or saved data
  inventory save NODE           print or save the inventory of a node's last inspection
  import bifrost|ironic         take over machines that another service manages
  export ironic                 hand machines over to OpenStack's Ironic, also those in use
  agent-image build|update      make the agent's ramdisk from Debian's packages, and anew with their updates
  agent-image list|use|check    list these ramdisks, go back to an older one, check a kernel and a ramdisk
  oneview migrate               move nodes to OneView's dynamic allocation
  rack N                        simulate N machines to try the daemon with
  plugin COMMAND                create, check, pack, install, remove and list plugins
  completion bash|zsh|fish      print a script that lets the shell complete these commands
  manual FOLDER                 write manual pages of these commands
  version                       print the version, as --version does
  help                          print this text

"ironic-edge COMMAND --help" describes a command.

${EXIT_CODES_HELP}`;

/** The exit status of a daemon that gives way to another host: its systemd unit does not start it again. */
const REPLACED_STATUS = 76;

const records = (word: RecordWord): LoadCommand => {
  return async () => (await import('./records/record-commands.ts')).recordCommand(word);
};

const ironicEdge: Command = groupOf(USAGE, {
  setup: async () => (await import('./host/setup-command.ts')).setupCommand,
  serve: async () => (await import('./host/serve-command.ts')).serveCommand,
  config: async () => (await import('./host/config-command.ts')).configCommand,
  doctor: async () => (await import('./host/doctor-command.ts')).doctorCommand,
  backup: async () => (await import('./host/backup-command.ts')).backupCommand,
  restore: async () => (await import('./host/backup-command.ts')).restoreCommand,
  standby: async () => (await import('./host/standby-command.ts')).standbyCommand,
  bmc: async () => (await import('./nodes/bmc-command.ts')).bmcCommand,
  quarantine: async () => (await import('./nodes/quarantine-command.ts')).quarantineCommand,
  node: async () => (await import('./nodes/node-command.ts')).nodeCommand,
  create: async () => (await import('./records/create/create-command.ts')).createCommand,
  token: async () => (await import('./host/token-command.ts')).tokenCommand,
  port: records('port'),
  'port-group': records('port-group'),
  chassis: records('chassis'),
  'volume-connector': records('volume-connector'),
  'volume-target': records('volume-target'),
  allocation: records('allocation'),
  'deploy-template': records('deploy-template'),
  runbook: records('runbook'),
  image: async () => (await import('./records/image-command.ts')).imageCommand,
  class: async () => (await import('./records/class-command.ts')).classCommand,
  expected: async () => (await import('./zero-touch/expected-command.ts')).expectedCommand,
  discover: async () => (await import('./zero-touch/discover-command.ts')).discoverCommand,
  profile: async () => (await import('./records/profile-command.ts')).profileCommand,
  'inspection-rule': records('inspection-rule'),
  driver: records('driver'),
  conductor: records('conductor'),
  shard: async () => (await import('./records/shard-command.ts')).shardCommand,
  audit: async () => (await import('./host/audit-command.ts')).auditCommand,
  'clean-steps': async () => (await import('./nodes/clean-steps-command.ts')).cleanStepsCommand,
  plan: async () => (await import('./nodes/plan-command.ts')).planCommand,
  inspect: async () => (await import('./nodes/inspect-command.ts')).inspectCommand,
  inventory: async () => (await import('./nodes/inventory-command.ts')).inventoryCommand,
  import: async () => (await import('./move/import-command.ts')).importCommand,
  export: async () => (await import('./move/export-command.ts')).exportCommand,
  'agent-image': async () => (await import('./agent-image/agent-image-command.ts')).agentImageCommand,
  oneview: async () => (await import('./nodes/oneview-command.ts')).oneviewCommand,
  rack: async () => (await import('./rack-command.ts')).rackCommand,
  plugin: async () => (await import('./plugins/plugin-command.ts')).pluginCommand,
  completion: async () =>
    (await import('./completion-command.ts')).completionCommand((words) => ironicEdge.next(words)),
  version: async () => (await import('./version-command.ts')).versionCommand,
  manual: async () => (await import('./manual/manual-command.ts')).manualCommand(() => ironicEdge),
});

const { argv, env: environment } = process;
const [stdout, stderr] = [outputTo(process.stdout), outputTo(process.stderr)];
const words = argv.length > 2 ? argv.slice(2) : ['help'];
const args = words[0] === '--version' ? ['version', ...words.slice(1)] : words;
// a command ends when the reader of its output, such as head, closes the pipe; the daemon goes on
if (args[0] !== 'serve')
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
try {
  process.exitCode = await ironicEdge(args, { environment, stdout, stderr });
} catch (error) {
  stderr.write(`ironic-edge: ${reasonOf(error)}\n`);
  process.exitCode = error instanceof RecordsReplaced ? REPLACED_STATUS : exitCodeFor(error);
}
