// The rules with which the host's firewall lets the packets of machines pass.
import type { HostChange, FirewallRule, FirewallTool, Undo } from '../change.ts';
import { type Host, must, outputOn, hostText } from '../host/host.ts';
import { marked } from '../paths.ts';
import { type Chain, seesPacketsOf, inputChains, insertion, removeOwnRules, tagOf } from './nftables.ts';
import { add, additionTo, withoutAdded } from './additions.ts';
import type { PlanParts } from './plan-parts.ts';

/** Returns the firewall that filters incoming packets; undefined when none does. */
export async function firewallOf(host: Host): Promise<FirewallTool | undefined> {
  if ((await outputOn(host, 'ufw', 'status'))?.startsWith('Status: active') === true) return 'ufw';
  if ((await outputOn(host, 'firewall-cmd', '--state'))?.startsWith('running') === true) return 'firewalld';
  return (await inputChains(host)).length > 0 ? 'nftables' : undefined;
}

const NFTABLES_FILE = '/etc/nftables.conf';
const FILE_ID = 'firewall-file';

/** Returns the changes, none when the rules are there. */
export async function firewallChanges(
  parts: PlanParts,
  tool: FirewallTool,
  rules: readonly FirewallRule[],
): Promise<readonly HostChange[]> {
  if (tool === 'nftables') return nftablesChanges(parts, rules);
  const { host } = parts;
  const missing: FirewallRule[] = [];
  // ufw and firewalld let the solicitations of routers pass by themselves
  for (const rule of rules.filter(({ protocol }) => protocol !== 'icmpv6')) {
    const ports = await closedPorts(host, tool, rule);
    if (ports.length > 0) missing.push({ ...rule, ports });
  }
  if (missing.length === 0) return [];
  const commands = async () =>
    (await Promise.all(missing.map((rule) => commandsOf(host, tool, rule, 'add')))).flat();
  return [
    {
      id: 'firewall',
      says: `opens the ports in ${tool}`,
      shows: (await commands()).map((words) => words.join(' ')),
      prepare: async () => ({ kind: 'firewall', tool, rules: missing }),
      async apply() {
        for (const command of await commands()) await must(host, command);
      },
    },
  ];
}

/** The ports of the rule for which the firewall has no rule; what an administrator has opened is not taken back by the undo. */
async function closedPorts(
  host: Host,
  tool: FirewallTool,
  { ports, ...rule }: FirewallRule,
): Promise<readonly number[]> {
  if (tool === 'ufw') {
    const added = await outputOn(host, 'ufw', 'show', 'added');
    return added?.includes(`'${tagOf({ ports, ...rule })}'`) === true ? [] : ports;
  }
  const zone = await zoneOf(host, rule.device);
  const closed: number[] = [];
  for (const port of ports) {
    const query = ['--permanent', `--zone=${zone}`, `--query-port=${port}/${rule.protocol}`];
    if ((await host.run(['firewall-cmd', ...query])).status !== 0) closed.push(port);
  }
  return closed;
}

/** The commands that add or remove a rule of ufw or firewalld. */
async function commandsOf(
  host: Host,
  tool: FirewallTool,
  rule: FirewallRule,
  action: 'add' | 'remove',
): Promise<readonly (readonly string[])[]> {
  const { protocol, ports, device } = rule;
  if (tool === 'ufw') {
    const words = ['allow', 'in', 'on', device, 'to', 'any', 'port', ports.join(','), 'proto', protocol];
    return [action === 'add' ? ['ufw', ...words, 'comment', tagOf(rule)] : ['ufw', 'delete', ...words]];
  }
  const zone = await zoneOf(host, device);
  return ports.flatMap((port) =>
    // what is permanent is taken for done
    [[], ['--permanent']].map((when) => [
      'firewall-cmd',
      ...when,
      `--zone=${zone}`,
      `--${action}-port=${port}/${protocol}`,
    ]),
  );
}

const zoneOf = async (host: Host, device: string): Promise<string> =>
  (
    (await outputOn(host, 'firewall-cmd', `--get-zone-of-interface=${device}`)) ??
    (await outputOn(host, 'firewall-cmd', '--get-default-zone')) ??
    'public'
  ).trim();

async function nftablesChanges(
  { host, journal }: PlanParts,
  rules: readonly FirewallRule[],
): Promise<readonly HostChange[]> {
  const chains = await inputChains(host);
  const insertions = chains.flatMap((chain) => insertionsInto(chain, rules));
  const now: HostChange = {
    id: 'firewall',
    says: 'opens the ports in the running nftables',
    shows: insertions.map((line) => `nft ${line}`),
    prepare: async () => ({ kind: 'firewall', tool: 'nftables', rules }),
    async apply() {
      await removeOwnRules(host);
      for (const line of insertions) await must(host, ['nft', line]);
    },
  };
  const hasAll = chains.every((chain) =>
    rules.every((rule) => !seesPacketsOf(chain, rule) || chain.comments.includes(tagOf(rule))),
  );
  return [...(hasAll ? [] : [now]), ...lastingChange({ host, journal }, chains, rules)];
}

const insertionsInto = (chain: Chain, rules: readonly FirewallRule[]): readonly string[] =>
  rules.filter((rule) => seesPacketsOf(chain, rule)).map((rule) => insertion(chain, rule));

/** Adds the rules to the file of nftables, if the file makes the chains. */
function lastingChange(
  { host, journal }: Pick<PlanParts, 'host' | 'journal'>,
  chains: readonly Chain[],
  rules: readonly FirewallRule[],
): readonly HostChange[] {
  const file = withoutAdded(host, journal, NFTABLES_FILE, [FILE_ID]);
  const tables = file
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([word]) => word === 'table');
  const made = chains.filter(({ table }) => tables.some((words) => words.includes(table)));
  const lines = made.flatMap((chain) => insertionsInto(chain, rules));
  const text = marked(lines);
  if (lines.length === 0 || (hostText(host, NFTABLES_FILE) ?? '').includes(text)) return [];
  return [
    {
      id: FILE_ID,
      says: `keeps the ports open after a restart of the host: adds to ${NFTABLES_FILE}`,
      shows: lines,
      prepare: async () => additionTo(host, NFTABLES_FILE, text),
      apply: async (undo) => add(host, journal, FILE_ID, { undo, mode: 0o755 }),
    },
  ];
}

export async function closeFirewall(host: Host, { tool, rules }: Undo & { kind: 'firewall' }): Promise<void> {
  if (tool === 'nftables') return removeOwnRules(host);
  for (const rule of rules)
    // a rule that somebody else has removed meanwhile is gone
    for (const command of await commandsOf(host, tool, rule, 'remove')) await host.run(command);
}
