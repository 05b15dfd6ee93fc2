// `ironic-edge node timeline`: prints what the daemon saw of a machine and, with --follow, what it sees from then on.
import { isIP } from 'node:net';
import { visibleLine } from '../../lib/plain-text.ts';
import { parseMac } from '../../lib/network/mac.ts';
import type { JsonObject } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../api-client.ts';
import { commandOf, FLAG, OUTPUT, TEXT, WrongArguments } from '../command.ts';
import { cellText, formattedItems } from '../text-table.ts';

const USAGE = `usage: ironic-edge node timeline NODE|MACHINE [--follow] [--since ID] [--format FORMAT]

Prints what the daemon saw of a machine, from power-on to its agent: events of its BMC, its serial console, power, DHCP,
TFTP, HTTP, lookup, inspection, heartbeats and agent commands. NODE is a name or UUID; MACHINE is a MAC or IP address from
"ironic-edge node unknown".

  --follow    wait for further events and print them until interrupted
  --since ID  only events after this one
  --format    table (a line for each event, the default), json (each event as a line of JSON, with its ID) or yaml (a list of
              the events); --json is --format json

${ENVIRONMENT_HELP}`;

/** How long one request waits for an event. */
const WAIT_SECONDS = 30;

export const timelineCommand = commandOf({
  usage: USAGE,
  options: { follow: FLAG, since: { ...TEXT, default: '0' }, ...OUTPUT },
  positionals: ['NODE|MACHINE'],
  async run(
    { values: { follow, since: first, ...output }, positionals: [machine] },
    { environment, stdout, stderr },
  ) {
    const client = createApiClient(environment);
    let since = eventId(first);
    for (let wait = 0; ; wait = WAIT_SECONDS) {
      const events = await client.list(`${pathOf(machine)}/timeline?since=${since}&wait=${wait}`, 'events');
      stdout.write(formattedItems(output, events, (all) => all.map(lineOf).join('')));
      if (events.length === 0 && !follow)
        stderr.write(`No events of ${machine}${since === 0 ? '' : ` after event ${since}`}.\n`);
      since = Number(events.at(-1)?.['id'] ?? since);
      if (!follow) return 0;
    }
  },
});

function eventId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new WrongArguments(
    `--since ${JSON.stringify(text)}: expected the ID of an event, which --format json prints`,
  );
}

// A node's name has no colons, unlike MAC and IPv6 addresses; a node whose name has the form of an IPv4 address must be given by
// its UUID
const pathOf = (machine: string): string =>
  parseMac(machine) !== undefined || isIP(machine) !== 0
    ? `/v1/unknown_machines/${encodeURIComponent(machine)}`
    : pathOfNode(machine);

/**
 * Returns a line such as `2027-01-31 12:00:01.250   tftp       52:54:00:12:34:56 sent snponly.efi`; `!` before the hop marks a
 * failure.
 */
const lineOf = ({ at, hop, mac, address, text, failed }: JsonObject): string =>
  `${visibleLine(
    [
      cellText(at).replace('T', ' ').replace('Z', ''),
      failed === true ? '!' : ' ',
      cellText(hop).padEnd(10),
      cellText(mac ?? address).padEnd(17),
      cellText(text),
    ].join(' '),
  )}\n`;
