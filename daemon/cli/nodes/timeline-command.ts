// `ironic-edge node timeline`: prints what the daemon saw of a machine and, with --follow, what it sees from then on.
import { isIP } from 'node:net';
import { parseMac } from '../../lib/network/mac.ts';
import type { JsonObject } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../api-client.ts';
import { commandOf, FLAG, TEXT, WrongArguments } from '../command.ts';
import { cellText } from '../text-table.ts';

const USAGE = `usage: ironic-edge node timeline NODE|MACHINE [--follow] [--since ID] [--json]

Prints what the daemon saw of a machine, from power-on to its agent: events of its BMC, its serial console, power, DHCP,
TFTP, HTTP, lookup, inspection, heartbeats and agent commands. NODE is a name or UUID; MACHINE is a MAC or IP address from
"ironic-edge node unknown".

  --follow    wait for further events and print them until interrupted
  --since ID  only events after this one
  --json      print each event as a line of JSON, with its ID

${ENVIRONMENT_HELP}`;

/** How long one request waits for an event. */
const WAIT_SECONDS = 30;

export const timelineCommand = commandOf({
  usage: USAGE,
  options: { follow: FLAG, since: { ...TEXT, default: '0' }, json: FLAG },
  positionals: ['NODE|MACHINE'],
  async run(
    { values: { follow, since: first, json }, positionals: [machine] },
    { environment, stdout, stderr },
  ) {
    const client = createApiClient(environment);
    let since = eventId(first);
    for (let wait = 0; ; wait = WAIT_SECONDS) {
      const events = await client.list(`${pathOf(machine)}/timeline?since=${since}&wait=${wait}`, 'events');
      for (const event of events) stdout.write(`${json ? JSON.stringify(event) : lineOf(event)}\n`);
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
    `--since ${JSON.stringify(text)}: expected the ID of an event, which --json prints`,
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
  [
    cellText(at).replace('T', ' ').replace('Z', ''),
    failed === true ? '!' : ' ',
    cellText(hop).padEnd(10),
    cellText(mac ?? address).padEnd(17),
    cellText(text),
  ].join(' ');
