// `ironic-edge import bifrost FILE`: enrols the machines of a Bifrost inventory.
import { reasonOf } from '../../../model/faults.ts';
import type { JsonObject } from '../../../model/json.ts';
import { type ApiClient, createApiClient, ENVIRONMENT_HELP } from '../../api-client.ts';
import { commandOf, FLAG, OUTPUT } from '../../command.ts';
import { readGivenFile } from '../../given-file.ts';
import { cellText, formatted, OUTPUT_HELP } from '../../text-table.ts';
import { outcomeReport } from '../outcome-report.ts';
import { decideEnrolments, type EnrolmentDecision, type Known } from './decide-enrolment.ts';
import { hostsIn } from './inventory-file.ts';
import { machineOfHost } from './machine-of-host.ts';

const USAGE = `usage: ironic-edge import bifrost FILE [--dry-run] [--format FORMAT]

Enrols the machines of a Bifrost inventory: JSON or YAML, or the CSV of old releases; - reads standard input. No machine is
touched: new nodes are in state enroll, and "baremetal node manage" comes next. Repeat the command as often as you like: a node
that exists keeps its values, and gets the ports that it lacks. Addresses (ipv4_address) become reservations of the DHCP
server, and host_groups is kept in extra.

  --dry-run  only print what would be done
${OUTPUT_HELP}
The exit code is 1 when a machine was refused.

${ENVIRONMENT_HELP}`;

export const importBifrostCommand = commandOf({
  usage: USAGE,
  options: { 'dry-run': FLAG, ...OUTPUT },
  positionals: ['FILE'],
  async run({ values, positionals: [file] }, { environment, stdout }) {
    const hosts = hostsIn(file, readGivenFile('FILE', file).toString());
    const api = createApiClient(environment);
    const machines = [...hosts].map(([name, host]) => machineOfHost(name, host));
    const report: Outcome[] = [];
    for (const decision of decideEnrolments(machines, await knownTo(api)))
      report.push(values['dry-run'] ? planned(decision) : await carriedOut(api, decision));
    stdout.write(
      formatted(values, { machines: report }, () =>
        outcomeReport(report, `${report.length} machines`, values['dry-run']),
      ),
    );
    return report.some(({ outcome }) => outcome === 'refused') ? 1 : 0;
  },
});

async function knownTo(api: ApiClient): Promise<Known> {
  const [drivers, nodes, ports] = [
    await api.list('/v1/drivers', 'drivers'),
    await api.list('/v1/nodes/detail', 'nodes'),
    await api.list('/v1/ports?fields=address,node_uuid', 'ports'),
  ];
  return {
    drivers: new Set(drivers.map(({ name }) => cellText(name))),
    byUuid: new Map(nodes.map((node) => [cellText(node['uuid']), node])),
    byName: new Map(nodes.map((node) => [cellText(node['name']), node])),
    owners: new Map(ports.map(({ address, node_uuid: node }) => [cellText(address), cellText(node)])),
  };
}

interface Outcome extends JsonObject {
  readonly name: string;
  readonly outcome: 'enrolled' | 'completed' | 'unchanged' | 'refused';
  readonly note: string;
}

function planned(decision: EnrolmentDecision): Outcome {
  if (decision.kind === 'refuse') return refused(decision.name, decision.reason);
  const { machine } = decision;
  const left = machine.left.length === 0 ? [] : [`not carried over: ${machine.left.join(', ')}`];
  if (decision.kind === 'enrol')
    return {
      name: machine.name,
      outcome: 'enrolled',
      note: [`ports: ${machine.ports.length}`, ...left].join('; '),
    };
  const { missing, differing } = decision;
  const differs = differing.length === 0 ? [] : [`different here, and not changed: ${differing.join(', ')}`];
  return missing.length === 0
    ? { name: machine.name, outcome: 'unchanged', note: differs.join('') }
    : { name: machine.name, outcome: 'completed', note: [`ports: ${missing.length}`, ...differs].join('; ') };
}

async function carriedOut(api: ApiClient, decision: EnrolmentDecision): Promise<Outcome> {
  if (decision.kind === 'refuse') return planned(decision);
  const { machine } = decision;
  let node_uuid = decision.kind === 'enrol' ? undefined : decision.uuid;
  try {
    node_uuid ??= cellText((await api.post('/v1/nodes', machine.node))['uuid']);
    for (const port of decision.kind === 'enrol' ? machine.ports : decision.missing)
      await api.post('/v1/ports', { ...port, node_uuid });
    return planned(decision);
  } catch (error) {
    const has = node_uuid === undefined ? '' : `node ${node_uuid} exists, but lacks ports: `;
    return refused(machine.name, `${has}${reasonOf(error)}`);
  }
}

const refused = (name: string, reason: string): Outcome => ({ name, outcome: 'refused', note: reason });
