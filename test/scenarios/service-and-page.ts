// Situations 1 to 22: installation, service, page.
import type { Scenario, Shown } from './scenario.ts';

const packaged = (name: string): Shown => ['test/systemd/package.ts', `  ${name}: '`];
const live = (title: string): Shown => ['test/daemon/ui/live-in-chromium.test.ts', title];

export const serviceAndPage: readonly Scenario[] = [
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
      'test/interop/boot/dhcp-server.test.ts',
      'udhcpc, dhclient and dhcpcd get addresses, and the first two get the same ones after a kill of the daemon',
    ],
  ],
  [
    'two network cards, with the default route on the one that does not face the machines',
    [
      'test/interop/boot/dhcp-server.test.ts',
      'with a default route on another card, answers leave on the card that faces the machines',
    ],
    [
      'test/interop/boot/dhcp-server.test.ts',
      'without the interface, its address in the subnet or a socket bound to it, the daemon does not start and says why',
    ],
  ],
  [
    'a machine asks for an address while the daemon restarts',
    [
      'test/interop/boot/dhcp-server.test.ts',
      'udhcpc, dhclient and dhcpcd get addresses, and the first two get the same ones after a kill of the daemon',
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
  ['the package is purged after root ran ironic-edge', packaged('left')],
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
    live('shows 1,000 machines with no findings of axe, console messages or errors'),
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
      'begins with reset when events after the cursor are no longer kept, or the cursor is above the newest event ID',
    ],
  ],
  [
    'ten tabs of one browser',
    live('is live in ten tabs over one event stream, and the API answers them all'),
  ],
  [
    'a client that does not read its events',
    [
      'test/daemon/observe/events/stream-routes.test.ts',
      'holds at most one batch for a reader that does not read, however much happens',
    ],
  ],
  [
    'hostile text in every field',
    ['test/daemon/ui/views/hostile.test.ts', 'markup in values stays text: ${name}'],
    live('shows names of 255 characters and right-to-left text with markup as text, within 360 pixels'),
  ],
  [
    'a browser without JavaScript',
    ['test/daemon/ui/in-chromium.test.ts', 'works without JavaScript and by keyboard alone'],
  ],
  [
    'the page is used by keyboard and is 360 pixels wide',
    live('deploys at 360 pixels by keyboard: shows the plan, and asks for the name'),
    ['test/daemon/ui/create-ui.test.ts', 'asks for the name of the machine before anything is lost'],
  ],
  [
    'a user who may only read',
    ['test/daemon/http/login/roles.test.ts', 'a reader sees nodes and changes nothing'],
    [
      'test/daemon/http/login/roles.test.ts',
      'the web page carries the role of its user, and shows the role that a refused action needs',
    ],
    [
      'test/daemon/http/login/roles.test.ts',
      'a refusal names the user, their role and the needed role, and is in the audit file',
    ],
    [
      'test/daemon/ui/in-chromium.test.ts',
      'shows readers no button, field or link to act with in the views rack, node, inbox and work',
    ],
  ],
];
