// Situations 23 to 40: monitoring, copies of the records, moves, commands, attacks.
import type { Scenario } from './scenario.ts';

export const monitoringAndMoves: readonly Scenario[] = [
  [
    'a hop of a boot is missing',
    [
      'test/daemon/conductor/loops/wait-deadlines.test.ts',
      'last_error names the last hop that was seen and the hop that is missing',
    ],
    ['test/daemon/ui/in-chromium.test.ts', 'follows the timeline of a machine while it boots'],
    ['test/life/cases/lost-hops.ts', "name: 'no-dhcp-answer'"],
  ],
  [
    'a thousand nodes and fifty deployments while Prometheus scrapes',
    ['test/bench/rack.ts', 'all metrics, as Prometheus does'],
    [
      'test/daemon/observe/monitoring/monitoring.test.ts',
      'promtool finds no fault with the text of /metrics',
    ],
    [
      'test/daemon/observe/metrics/daemon-metrics.test.ts',
      'name requests by their route and never by what a client chose',
    ],
  ],
  [
    'each alert and each panel',
    [
      'test/daemon/observe/monitoring/monitoring.test.ts',
      'promtool accepts the alert rules, and each alert fires for a daemon in trouble and for no healthy one',
    ],
    [
      'test/daemon/observe/monitoring/monitoring.test.ts',
      'every metric that a rule or the dashboard names is exported by the daemon',
    ],
  ],
  [
    'the receiver of a webhook is down for an hour',
    [
      'test/daemon/observe/events/webhooks.test.ts',
      'get all events, in order and once, when the receiver was down for an hour',
    ],
  ],
  [
    'the same requests to Ironic and to the daemon',
    [
      'test/interop/notifications.test.ts',
      "events match Ironic's notifications after the same requests, except that record changes have no .start event",
    ],
  ],
  [
    'a backup during a storm of writes',
    [
      'test/daemon/db/copies/copies.test.ts',
      'made while another process writes is undamaged and holds all nodes that were stored before the backup began',
    ],
  ],
  [
    'the restore of an old backup while machines run',
    [
      'test/daemon/conductor/records/quarantine.test.ts',
      'has no driver: no request and no loop reaches its machine',
    ],
    [
      'test/daemon/db/copies/copies.test.ts',
      'brings the records back, puts all nodes into quarantine and keeps the replaced database',
    ],
  ],
  [
    'a node in quarantine, and the serial number of its machine',
    [
      'test/daemon/conductor/records/quarantine.test.ts',
      'is released by the serial number of its machine, and gets its maintenance back as it was',
    ],
  ],
  [
    'the first host returns beside the promoted standby',
    [
      'test/daemon/cli/host/standby-command.test.ts',
      'takes over with a backup, and the daemon of the first host then refuses to start',
    ],
    [
      'test/daemon/cli/host/standby-command.test.ts',
      'makes the daemon of a first host that was only cut off stop within half a minute',
    ],
  ],
  [
    'a replica by Litestream, and a damaged one',
    [
      'test/interop/litestream.test.ts',
      'standby promote accepts a database that Litestream restored, and refuses a damaged and a missing one',
    ],
  ],
  [
    'machines are handed over to Ironic',
    [
      'test/interop/move/export-ironic.test.ts',
      'machines that are in use, available or failed move to Ironic (${release}); one move is undone and one machine comes back, without a write to any machine',
    ],
  ],
  [
    'an inventory of Bifrost in each of its forms, and the database of its Ironic',
    [
      'test/daemon/cli/move/bifrost/import-bifrost.test.ts',
      'enrols the machines of a YAML or JSON inventory, with their fields under the names of the API',
    ],
    [
      'test/daemon/cli/move/bifrost/import-bifrost.test.ts',
      'enrols the machines of a CSV inventory, the format of old Bifrost releases',
    ],
    [
      'test/interop/move/import-ironic-database.test.ts',
      "a machine comes from Ironic with the secrets of Ironic's MariaDB database",
    ],
  ],
  [
    "Bifrost's own playbooks",
    [
      'test/interop/clients/bifrost.test.ts',
      'Bifrost enrols, inspects, deploys, undeploys and deletes the node that its inventory describes',
    ],
  ],
  [
    'twenty faults on one site',
    [
      'test/daemon/doctor/twenty-faults.test.ts',
      'the doctor names each of twenty faults on a site, and no longer names a fault that is corrected',
    ],
    [
      'test/daemon/doctor/doctor.test.ts',
      'finds nothing on a host without a fault, before and after the first start',
    ],
  ],
  [
    'completion in the shells',
    [
      'test/daemon/cli/completion-command.test.ts',
      'when the daemon does not answer, a shell gets the options and no names of nodes',
    ],
    ['test/daemon/cli/completion-command.test.ts', 'fish completes commands and options'],
    [
      'test/daemon/cli/completion-command.test.ts',
      'zsh with the installed script completes a command at the first Tab key',
    ],
    ['test/daemon/cli/completion-command.test.ts', 'bash completes commands, subcommands and options'],
    ['test/daemon/cli/completion-command.test.ts', 'names of nodes are offered where a command takes a node'],
  ],
  [
    'many machines deployed by one command',
    [
      'test/daemon/cli/nodes/act/verb-command.test.ts',
      'one command deploys several machines, and exits with 1 when one of them is refused',
    ],
    [
      'test/daemon/cli/nodes/act/verb-command.test.ts',
      'a terminal shows a bar for each machine, in colours unless NO_COLOR is set',
    ],
    [
      'test/daemon/cli/nodes/act/verb-command.test.ts',
      'Ctrl-C and --timeout end the waiting, and the work goes on',
    ],
  ],
  [
    'hostile pages, passwords and ramdisks',
    [
      'test/daemon/http/login/tokens.test.ts',
      'the eleventh wrong password from an address in a minute gets 429; users who have logged in are not locked out',
    ],
    [
      'test/daemon/http/request/refuse-foreign-host.test.ts',
      'a request with a foreign host name, or with two Host headers, is refused and creates nothing',
    ],
    [
      'test/daemon/http/request/cross-origin.test.ts',
      'a POST from a foreign origin returns 403 and creates nothing',
    ],
    [
      'test/daemon/http/login/authenticate.test.ts',
      'a user who has logged in is answered while wrong passwords are compared',
    ],
    ['test/ramdisk-callback/lookup.test.ts', 'lookup returns the token in clear once and masked afterwards'],
    [
      'test/daemon/http/request/request-rates.test.ts',
      'lookups and inspection reports beyond the rate get 503 with an explanation, and other clients are served',
    ],
    [
      'test/ramdisk-callback/ramdisk-app.test.ts',
      'the listener for ramdisks serves version documents with its own links, but no other resources of the API',
    ],
  ],
  [
    'a certificate is renewed',
    [
      'test/daemon/listener/listen.test.ts',
      'certificates can be replaced under load without a failed request',
    ],
    [
      'test/daemon/listener/listen.test.ts',
      'a TLS client that trusts the authority gets an answer; any other refuses the certificate',
    ],
  ],
];
