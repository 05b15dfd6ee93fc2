// The rules of nftables that setup adds to the chains that filter incoming packets. Their comments tell them from others.
import type { FirewallRule } from '../change.ts';
import { type Host, must, outputOn } from '../host/host.ts';

export interface Chain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  /** The comments of its rules. */
  readonly comments: readonly string[];
}

const TAG = 'ironic-edge: ';

export const tagOf = ({ protocol, ports, device }: FirewallRule): string =>
  `${TAG}${[protocol, ...ports].join(' ')} on ${device}`;

const FAMILIES = { udp: ['ip', 'inet'], tcp: ['ip', 'inet'], icmpv6: ['ip6', 'inet'] } as const;

export const seesPacketsOf = ({ family }: Chain, { protocol, ipv6 = false }: FirewallRule): boolean =>
  FAMILIES[protocol].some((each) => each === family) || (ipv6 && family === 'ip6');

/** The statement that lets the packets pass before any other rule of the chain. */
export function insertion({ family, table, name }: Chain, rule: FirewallRule): string {
  const { protocol, ports, device } = rule;
  const packets =
    protocol === 'icmpv6' ? 'icmpv6 type nd-router-solicit' : `${protocol} dport { ${ports.join(', ')} }`;
  return `insert rule ${family} ${table} ${name} iifname "${device}" ${packets} accept comment "${tagOf(rule)}"`;
}

/** The chains that see incoming packets and may refuse some: by their policy, or by a rule. */
export async function inputChains(host: Host): Promise<readonly Chain[]> {
  const listed = await ruleset(host);
  return listed.flatMap(({ chain }) => {
    if (chain?.hook !== 'input' || !['ip', 'ip6', 'inet'].includes(chain.family)) return [];
    const { family, table, name } = chain;
    const rules = listed.flatMap(({ rule }) =>
      rule?.family === family && rule.table === table && rule.chain === name ? [rule] : [],
    );
    const refuses = chain.policy === 'drop' || rules.some(({ expr }) => expr.some(mayRefuse));
    return refuses ? [{ family, table, name, comments: rules.flatMap(({ comment }) => comment ?? []) }] : [];
  });
}

const mayRefuse = (statement: object): boolean =>
  ['drop', 'reject', 'jump', 'goto'].some((verdict) => verdict in statement);

export async function removeOwnRules(host: Host): Promise<void> {
  for (const { rule } of await ruleset(host))
    if (rule?.comment?.startsWith(TAG) === true) {
      const { family, table, chain, handle } = rule;
      await must(host, ['nft', 'delete', 'rule', family, table, chain, 'handle', String(handle)]);
    }
}

/** An object in the list that `nft -j` prints. */
interface Listed {
  readonly chain?: {
    readonly family: string;
    readonly table: string;
    readonly name: string;
    readonly hook?: string;
    readonly policy?: string;
  };
  readonly rule?: {
    readonly family: string;
    readonly table: string;
    readonly chain: string;
    readonly handle: number;
    readonly comment?: string;
    readonly expr: readonly object[];
  };
}

async function ruleset(host: Host): Promise<readonly Listed[]> {
  const text = await outputOn(host, 'nft', '-j', 'list', 'ruleset');
  return text === undefined ? [] : (JSON.parse(text) as { readonly nftables: readonly Listed[] }).nftables;
}
