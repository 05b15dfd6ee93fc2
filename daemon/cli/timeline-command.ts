// `ironic-edge node timeline`: prints what the daemon saw of a machine, and follows it.
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { parseMac } from '../lib/mac.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP } from './api-client.ts';
import { type CommandContext, commandOf } from './command.ts';
import { cellText } from './text-table.ts';

const USAGE = `usage: ironic-edge node timeline NODE|MACHINE [--follow] [--since ID] [--json]

Prints what the daemon saw of a machine, from power-on to its agent: power, DHCP, TFTP, HTTP, lookup, inspection,
heartbeats and agent commands. NODE is a name or UUID; MACHINE is a MAC or IP address from "ironic-edge node unknown".

  --follow    wait for further events and print them until interrupted
  --since ID  only events after this one
  --json      print each event as a line of JSON, with its ID

${ENVIRONMENT_HELP}`;

/** How long one request waits for an event, in seconds. */
const WAIT_SECONDS = 30;

/** Returns the exit code: 0, or 2 for wrong arguments. With --follow it ends when it is interrupted. */
export const timelineCommand = commandOf(USAGE, parseRequest, run);

type Request = NonNullable<ReturnType<typeof parseRequest>>;

async function run(request: Request, { environment, stdout }: CommandContext): Promise<number> {
  const client = createApiClient(environment);
  let since = request.since;
  for (let wait = 0; ; wait = WAIT_SECONDS) {
    const { body } = await client.request('GET', `${request.path}?since=${since}&wait=${wait}`);
    const listed = isJsonObject(body) ? body['events'] : undefined;
    const events = Array.isArray(listed) ? listed.filter(isJsonObject) : [];
    for (const event of events) stdout.write(`${request.json ? JSON.stringify(event) : lineOf(event)}\n`);
    since = Number(events.at(-1)?.['id'] ?? since);
    if (!request.follow) return 0;
  }
}

function parseRequest(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      follow: { type: 'boolean', default: false },
      since: { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [machine, ...more] = positionals;
  const since = /^\d{1,15}$/.test(values.since) ? Number(values.since) : undefined;
  if (machine === undefined || more.length > 0 || since === undefined) return undefined;
  const { follow, json } = values;
  return { path: pathOf(machine), since, follow, json };
}

// a node's name has neither colons nor, as it is an identifier, the form of an IP address
const pathOf = (machine: string): string =>
  parseMac(machine) !== undefined || isIP(machine) !== 0
    ? `/v1/unknown_machines/${encodeURIComponent(machine)}/timeline`
    : `/v1/nodes/${encodeURIComponent(machine)}/timeline`;

/** `12:00:01.250  tftp        52:54:00:12:34:56  got snponly.efi`; a failure is marked by `!`. */
const lineOf = ({ at, hop, mac, address, text, failed }: JsonObject): string =>
  [
    cellText(at).replace('T', ' ').replace('Z', ''),
    failed === true ? '!' : ' ',
    cellText(hop).padEnd(10),
    cellText(mac ?? address).padEnd(17),
    cellText(text),
  ].join(' ');
