// `ironic-edge node list`: lists nodes, with filters that Ironic's clients do not offer.
import { parseArgs } from 'node:util';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { type ApiClient, createApiClient, ENVIRONMENT_HELP } from './api-client.ts';
import { type CommandContext, commandOf } from './command.ts';
import { cellText, textTable } from './text-table.ts';

const USAGE = `usage: ironic-edge node list [--provision-state STATE] [--auto-discovered] [--json]

  --provision-state STATE  only nodes in this state, such as enroll or "clean wait"
  --auto-discovered        only nodes that inspection discovered
  --json                   print the nodes as the API returns them

${ENVIRONMENT_HELP}`;

const COLUMNS = ['uuid', 'name', 'power_state', 'provision_state', 'maintenance'] as const;

/** Returns the exit code: 0, or 2 for wrong arguments. */
export const nodeListCommand = commandOf(USAGE, parseRequest, run);

type Request = NonNullable<ReturnType<typeof parseRequest>>;

async function run(request: Request, { environment, stdout }: CommandContext): Promise<number> {
  const nodes = await listNodes(createApiClient(environment), request.filters);
  stdout.write(
    request.json
      ? `${JSON.stringify(nodes, null, 2)}\n`
      : textTable(
          COLUMNS,
          nodes.map((node) => COLUMNS.map((column) => cellText(node[column]))),
        ),
  );
  return 0;
}

function parseRequest(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      'provision-state': { type: 'string' },
      'auto-discovered': { type: 'boolean' },
      json: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (positionals.length > 0) return undefined;
  const { 'provision-state': state, 'auto-discovered': discovered, json } = values;
  const filters = {
    ...(state !== undefined && { provision_state: state }),
    ...(discovered === true && { auto_discovered: 'true' }),
  };
  return { filters, json: json === true };
}

async function listNodes(
  client: ApiClient,
  filters: Readonly<Record<string, string>>,
): Promise<readonly JsonObject[]> {
  const nodes: JsonObject[] = [];
  const query = new URLSearchParams({ fields: COLUMNS.join(','), ...filters });
  let path: string | undefined = `/v1/nodes?${query.toString()}`;
  while (path !== undefined) {
    const { body } = await client.request('GET', path);
    if (!isJsonObject(body) || !Array.isArray(body['nodes']))
      throw new Error(`GET ${path} did not return a list of nodes`);
    nodes.push(...body['nodes'].filter(isJsonObject));
    const following = body['next'];
    path = typeof following === 'string' ? following.slice(following.indexOf('/v1/')) : undefined;
  }
  return nodes;
}
