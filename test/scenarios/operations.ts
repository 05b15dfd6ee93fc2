// Forty situations of operation that the daemon was designed for, each with what shows what happens then.

/**
 * A file with the title of a test in it, or with the text by which another program checks the situation: `npm run systemd`
 * (test/systemd), `npm run life` (test/life) or a benchmark (test/bench).
 */
type Shown = readonly [file: string, text: string];

type Scenario = readonly [given: string, ...by: Shown[]];

const live = (title: string): Shown => ['test/daemon/ui/live-in-chromium.test.ts', title];
const packaged = (name: string): Shown => ['test/systemd/package.ts', `  ${name}: '`];

/** In the order of their numbers, from 1. */
export const scenarios: readonly Scenario[] = [
  ['installed on a bare Debian 12', packaged('fresh')],
  [
    'started on Debian 13',
    ['test/systemd/package.ts', "['bookworm', 'trixie']"],
    ['test/systemd/booted.ts', 'systemd was told that the daemon is ready'],
  ],
  [
    'the event loop is blocked',
    [
      'test/daemon/cli/blocked-loop.test.ts',
      'a plugin that blocks the event loop for too long ends the daemon and is reported',
    ],
    [
      'test/interop/crash.test.ts',
      'a restart moves every node in a transient state to a defined state with a reason',
    ],
  ],
  [
    'the database cannot be written for minutes',
    [
      'test/daemon/observe/endpoints.test.ts',
      '/readyz fails with the reason while the database cannot be written, and recovers',
    ],
  ],
  [
    'ports below 1024 without a capability',
    ['test/systemd/booted.ts', "seen[set], '0'.repeat(16)"],
    ['test/interop/boot/tftp-daemon.test.ts', 'the daemon serves on a socket that systemd passes it'],
    [
      'test/interop/dhcp-server.test.ts',
      'udhcpc, dhclient and dhcpcd get an address, and the same one after a kill of the daemon',
    ],
  ],
  [
    'two network cards, and the default route on the other',
    [
      'test/interop/dhcp-server.test.ts',
      'beside a default route on another card the answer leaves on the card of the machines',
    ],
    [
      'test/interop/dhcp-server.test.ts',
      'without a socket bound to its interface the daemon does not start, and says what to do',
    ],
  ],
  [
    'a machine asks for an address while the daemon restarts',
    [
      'test/interop/dhcp-server.test.ts',
      'udhcpc, dhclient and dhcpcd get an address, and the same one after a kill of the daemon',
    ],
  ],
  [
    'the exposure of the unit',
    ['test/systemd/ironic-edge.test.ts', 'the exposure level of ${service} is at most ${limit}'],
  ],
  [
    'an upgrade with an edited configuration file',
    packaged('edited_kept'),
    packaged('edited_doctor'),
    [
      'test/daemon/doctor/doctor.test.ts',
      'finds the configuration file of a newer package beside an edited one',
    ],
  ],
  [
    'an upgrade whose migration fails, or whose daemon does not start',
    packaged('refused_runs'),
    packaged('unstartable_runs'),
    [
      'test/daemon/db/open.test.ts',
      'before a migration the database is copied, so that the previous release can go on with the copy',
    ],
  ],
  ['removed and installed again', packaged('reinstalled')],
  ['purged after the command ran as root', packaged('left')],
  [
    'one commit built twice',
    ['test/systemd/package.ts', 'two builds of one commit give the same bytes'],
    [
      'test/systemd/deb/bill-of-materials.test.ts',
      'the list of parts names every package in the program, and Node.js',
    ],
  ],
  [
    'a rack of a thousand machines in Chromium',
    ['test/bench/page.ts', 'Chromium shows the rack'],
    live('shows 1,000 machines without a finding of axe and without complaints'),
  ],
  [
    'a node fails while its page is open',
    [
      'test/daemon/ui/in-chromium.test.ts',
      'shows a change at once, and keeps what the visitor has chosen and where the focus is',
    ],
    live('fetches only the row of a machine that fails, and keeps focus and scroll'),
  ],
  [
    'the daemon restarts while a page is open',
    live('says that it reconnects while the daemon restarts, then shows what it has missed'),
    [
      'test/daemon/observe/events/stream-routes.test.ts',
      'goes on after the last event that a browser got before its connection was cut',
    ],
    [
      'test/daemon/observe/events/stream-routes.test.ts',
      'says reset where events after the cursor are not kept any more, or never were',
    ],
  ],
  ['ten tabs of one browser', live('is live in ten tabs with one connection, and the API answers them all')],
  [
    'a client that does not read its events',
    [
      'test/daemon/observe/events/stream-routes.test.ts',
      'of a reader that does not read holds one batch, however much happens',
    ],
  ],
  [
    'hostile text in every field',
    ['test/daemon/ui/views/hostile.test.ts', 'in the view ${name}'],
    live('shows names of 255 characters and from right to left as text, at 360 pixels'),
  ],
  [
    'a browser without JavaScript',
    ['test/daemon/ui/in-chromium.test.ts', 'works without JavaScript and by keyboard alone'],
  ],
  [
    'by keyboard, 360 pixels wide',
    live('deploys at 360 pixels by keyboard: shows the plan, and asks for the name'),
    ['test/daemon/ui/create-ui.test.ts', 'asks for the name of the machine before anything is lost'],
  ],
  ['a user who may only read'],
  [
    'a hop of a boot is missing',
    [
      'test/daemon/conductor/loops/wait-deadlines.test.ts',
      'last_error names the last hop of the boot that was seen and the hop that is missing',
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
      'promtool accepts the alert rules, and each fires in trouble and is quiet without',
    ],
    [
      'test/daemon/observe/monitoring/monitoring.test.ts',
      'every metric that a rule or the dashboard names is one of the daemon',
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
    'the same requests to Ironic',
    [
      'test/interop/notifications.test.ts',
      "events have the types, priorities and fields of Ironic's notifications after the same requests",
    ],
  ],
  [
    'a backup during a storm of writes',
    [
      'test/daemon/db/copies/copies.test.ts',
      'made while another process writes holds all that was stored before it, undamaged',
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
      'brings the records back, puts all nodes into quarantine and keeps what was there',
    ],
  ],
  [
    'a node in quarantine whose serial number differs',
    [
      'test/daemon/conductor/records/quarantine.test.ts',
      'is released by its serial number, and gets its maintenance back as it was',
    ],
  ],
  [
    'the first host returns beside the promoted standby',
    [
      'test/daemon/cli/standby-command.test.ts',
      'takes over with the newest backup, and the first host, back again, does not start beside it',
    ],
    [
      'test/daemon/cli/standby-command.test.ts',
      'that was promoted while the first host was only cut off stops it within half a minute',
    ],
  ],
  [
    'a replica by Litestream, and a damaged one',
    [
      'test/interop/litestream.test.ts',
      'a replica by Litestream is accepted after its check, and a damaged one is refused',
    ],
  ],
  [
    'machines are handed over to Ironic',
    [
      'test/interop/export-ironic.test.ts',
      'machines in use, available and failed ones move to Ironic (${release}), one is undone and one comes back, without a write to any machine',
    ],
  ],
  [
    'an inventory of Bifrost in each of its forms',
    [
      'test/daemon/cli/move/bifrost/import-bifrost.test.ts',
      'enrols the machines of YAML, and of JSON, with their fields under the names of the API',
    ],
    ['test/daemon/cli/move/bifrost/import-bifrost.test.ts', 'enrols the machines of the CSV of old releases'],
  ],
  [
    "Bifrost's own playbooks",
    [
      'test/interop/clients/bifrost.test.ts',
      'Bifrost enrols, inspects, deploys, undeploys and deletes the machine of its inventory',
    ],
  ],
  [
    'twenty faults on one site',
    [
      'test/daemon/doctor/twenty-faults.test.ts',
      'on a site with twenty faults the doctor names each, and what it says heals them one by one',
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
      'bash completes commands, their commands and their options',
    ],
    ['test/daemon/cli/completion-command.test.ts', 'names of nodes are offered where a command takes a node'],
  ],
  ['many machines deployed by one command'],
  [
    'hostile pages, passwords and ramdisks',
    [
      'test/daemon/http/request/refuse-foreign-host.test.ts',
      'a request for a foreign host name is refused and creates nothing',
    ],
    [
      'test/daemon/http/request/cross-origin.test.ts',
      'a POST from a foreign origin returns 403 and creates nothing',
    ],
    [
      'test/daemon/http/login/authenticate.test.ts',
      'a known user is answered while wrong passwords are compared',
    ],
    ['test/ramdisk-callback/lookup.test.ts', 'lookup returns the token in clear once and masked afterwards'],
    [
      'test/ramdisk-callback/ramdisk-app.test.ts',
      'the listener for ramdisks has version documents with its own links, and nothing else of the API',
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
      'a TLS client that trusts the authority gets an answer; other clients are rejected',
    ],
  ],
];

/** Situations, by number, that nothing shows yet. */
export const unshown: readonly number[] = [22, 38];
