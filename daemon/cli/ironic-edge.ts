// The ironic-edge command. Each command is imported when it is called: the daemon runs as `serve` without the others.
import { groupOf } from './command.ts';
import { reasonOf } from '../model/faults.ts';

const USAGE = `usage: ironic-edge COMMAND [OPTIONS]

  serve                         run the daemon
  config check|show|document    check, show or document the configuration
  doctor                        look for what is wrong, and name what heals it
  backup create|rehearse        copy the database while the daemon runs; try an upgrade on a copy
  restore FILE                  bring a backup back
  quarantine list|release       confirm the machines of restored nodes
  node list                     list the nodes of a running daemon
  node timeline NODE            print what was seen of a machine's boot; --follow waits for more
  node unknown                  list machines that were seen and are not nodes
  audit                         show who changed what through the API
  clean-steps NODE              list a node's clean steps
  plan NODE TARGET              show the steps a provision request would run
  inspect reprocess|replay      run inspection hooks and rules again, on stored or saved data
  inventory save NODE           print or save the inventory of a node's last inspection
  agent-image build|check       make the ramdisk with the agent from Debian's packages; look at one
  oneview migrate               move nodes to OneView's dynamic allocation
  rack N                        simulate N machines to try the daemon with
  plugin COMMAND                create, check, pack, install, remove and list plugins
  help                          print this text

"ironic-edge COMMAND --help" describes a command.
`;

const ironicEdge = groupOf(USAGE, {
  serve: async (...given) => (await import('./serve-command.ts')).serveCommand(...given),
  config: async (...given) => (await import('./config-command.ts')).configCommand(...given),
  doctor: async (...given) => (await import('./doctor-command.ts')).doctorCommand(...given),
  backup: async (...given) => (await import('./backup-command.ts')).backupCommand(...given),
  restore: async (...given) => (await import('./backup-command.ts')).restoreCommand(...given),
  quarantine: async (...given) => (await import('./nodes/quarantine-command.ts')).quarantineCommand(...given),
  node: async (...given) => (await import('./nodes/node-command.ts')).nodeCommand(...given),
  audit: async (...given) => (await import('./audit-command.ts')).auditCommand(...given),
  'clean-steps': async (...given) =>
    (await import('./nodes/clean-steps-command.ts')).cleanStepsCommand(...given),
  plan: async (...given) => (await import('./nodes/plan-command.ts')).planCommand(...given),
  inspect: async (...given) => (await import('./nodes/inspect-command.ts')).inspectCommand(...given),
  inventory: async (...given) => (await import('./nodes/inventory-command.ts')).inventoryCommand(...given),
  'agent-image': async (...given) => (await import('./agent-image-command.ts')).agentImageCommand(...given),
  oneview: async (...given) => (await import('./nodes/oneview-command.ts')).oneviewCommand(...given),
  rack: async (...given) => (await import('./rack-command.ts')).rackCommand(...given),
  plugin: async (...given) => (await import('./plugins/plugin-command.ts')).pluginCommand(...given),
});

const { argv, env: environment, stdout, stderr } = process;
const args = argv.length > 2 ? argv.slice(2) : ['help'];
try {
  process.exitCode = await ironicEdge(args, { environment, stdout, stderr });
} catch (error) {
  stderr.write(`ironic-edge: ${reasonOf(error)}\n`);
  process.exitCode = 1;
}
