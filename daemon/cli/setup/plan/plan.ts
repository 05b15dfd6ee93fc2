// The plan of setup: the changes that make this host serve machines as the operator has answered. Nothing that is done already is
// in it.
import type { LoadedConfig } from '../../../config/load.ts';
import type { SetupAnswers } from '../answers.ts';
import type { HostChange, FirewallRule } from '../change.ts';
import { hostText } from '../host/host.ts';
import { heldPorts } from '../host/ports.ts';
import { CONFIG_FILE, marked } from '../paths.ts';
import { accountChange, type FirstLogin } from './account.ts';
import { add, additionTo, withoutAdded } from './additions.ts';
import { advertisementsChange, usesRadvd } from './advertisements.ts';
import { certificateChange } from './certificate.ts';
import { type AddedConfiguration, configurationFor, setupOptions } from './configuration.ts';
import { firewallChanges, firewallOf } from './firewall.ts';
import { imageChanges } from './images.ts';
import { packagesChange } from './packages.ts';
import type { PlanParts, SetupSetting } from './plan-parts.ts';
import { RAMDISK_LINES, ramdiskChanges } from './ramdisk.ts';
import { freePorts, refuseTakenPorts, servedPorts } from './served-ports.ts';
import { dhcpSockets, unitsChange } from './units.ts';

export interface Plan {
  readonly changes: readonly HostChange[];
  /** What stays as the operator made it, and what cannot be done now, as sentences without their full stops. */
  readonly notes: readonly string[];
  readonly loaded: LoadedConfig;
}

const CONFIGURATION = 'configuration';

/** Throws when the answers cannot work on this host. Changes nothing. */
export async function planFor(
  setting: SetupSetting,
  answers: SetupAnswers,
  opensFirewall: boolean,
): Promise<Plan> {
  const { host, journal, isService, network } = setting;
  const held = await heldPorts(host);
  const text = withoutAdded(host, journal, CONFIG_FILE, [CONFIGURATION, RAMDISK_LINES]);
  const configuration = configurationFor(text, setupOptions(answers, freePorts(held, answers.address)));
  const { loaded, kept } = configuration;
  refuseTakenPorts(loaded, held);
  const parts = { ...setting, loaded, ramdiskByOperator: loaded.config.conductor.deploy_ramdisk !== null };
  const at = network.interfaces.find(({ name }) => name === answers.interface);
  const advertiser = isService && dhcpSockets(loaded.config).length > 0 ? at : undefined;
  const radvd = advertiser !== undefined && usesRadvd(advertiser);
  const login: FirstLogin = { password: undefined };
  const account = await accountChange(parts, answers, login);
  const ramdisk = ramdiskChanges(parts, answers.ramdisk);
  const files = [
    await neededPackages(parts, ramdisk, radvd),
    configurationChange(parts, configuration),
    advertiser === undefined ? undefined : advertisementsChange(parts, advertiser),
    ...ramdisk,
    await certificateChange(parts),
    account.change,
  ].filter((change) => change !== undefined);
  const rules = await firewall(parts, answers, opensFirewall);
  const isKnown =
    account.change !== undefined || (answers.password !== undefined && account.notes.length === 0);
  const running = isService
    ? await runningChanges(parts, { answers, login, isKnown, radvd, files })
    : { changes: [], notes: [leftOut(answers)] };
  return {
    changes: [...files, ...rules, ...running.changes],
    notes: [...kept, ...account.notes, ...running.notes],
    loaded,
  };
}

/** What setup leaves to the operator where systemd does not run the daemon. */
const leftOut = ({ images }: SetupAnswers): string =>
  `without systemd, setup does not start the daemon. Once it runs, do the rest: ${[...images.map((name) => `ironic-edge image add ${name}`), 'ironic-edge doctor'].join('; ')}`;

const neededPackages = (parts: PlanParts, ramdisk: readonly HostChange[], radvd: boolean) =>
  packagesChange(parts, {
    networkBoot: dhcpSockets(parts.loaded.config).length > 0,
    ramdisk: ramdisk.some(({ id }) => id === 'ramdisk'),
    radvd,
  });

interface Running {
  readonly answers: SetupAnswers;
  readonly login: FirstLogin;
  /** Whether this run knows the password. */
  readonly isKnown: boolean;
  readonly radvd: boolean;
  /** The changes of what the daemon reads when it starts. */
  readonly files: readonly HostChange[];
}

/** What is done with the units, and by the daemon once it runs. */
async function runningChanges(
  parts: PlanParts,
  { answers, login, isKnown, radvd, files }: Running,
): Promise<Pick<Plan, 'changes' | 'notes'>> {
  const units = await unitsChange(parts, { isChanged: files.length > 0, radvd });
  const started = units === undefined ? [] : [units];
  const images = imageChanges(parts, answers, login);
  if (isKnown || parts.loaded.config.DEFAULT.auth_strategy === 'noauth')
    return { changes: [...started, ...images], notes: [] };
  const notes = images.map(({ shows }) => `needs the password of ${answers.admin}: ${shows.join()}`);
  return { changes: started, notes };
}

function configurationChange(
  { host, journal, group }: PlanParts,
  { lines }: AddedConfiguration,
): HostChange | undefined {
  const text = marked(lines);
  const before = hostText(host, CONFIG_FILE) ?? '';
  if (lines.length === 0 || before.includes(text)) return undefined;
  return {
    id: CONFIGURATION,
    says: `adds to ${CONFIG_FILE}`,
    shows: lines,
    prepare: async () => additionTo(host, CONFIG_FILE, text),
    apply: async (undo) => add(host, journal, CONFIGURATION, { undo, mode: 0o640, group }),
  };
}

async function firewall(
  parts: PlanParts,
  answers: SetupAnswers,
  opens: boolean,
): Promise<readonly HostChange[]> {
  const tool = opens ? await firewallOf(parts.host) : undefined;
  if (tool === undefined) return [];
  const rules = rulesFor(parts, answers);
  return firewallChanges(parts, tool, rules);
}

/** Machines reach everything but the API on their interface; people reach the API where its address is. */
function rulesFor(
  { loaded, network }: PlanParts,
  { interface: device }: SetupAnswers,
): readonly FirewallRule[] {
  const { api } = loaded.config;
  const people = network.interfaces.find(({ address }) => address === api.host_ip)?.name;
  const others = servedPorts(loaded).filter(({ what }) => what !== '[api]');
  const ipv6 = others.some(({ address }) => address.includes(':'));
  const ports = (protocol: 'udp' | 'tcp') => [
    ...new Set(others.filter((each) => each.protocol === protocol).map(({ port }) => port)),
  ];
  const toPorts: readonly FirewallRule[] = [
    ...(['udp', 'tcp'] as const).map((protocol) => ({
      protocol,
      ports: ports(protocol),
      device,
      ...(ipv6 && { ipv6 }),
    })),
    ...(people === undefined
      ? []
      : [
          {
            protocol: 'tcp' as const,
            ports: [api.port],
            device: people,
            ...(api.host_ip.includes(':') && { ipv6: true }),
          },
        ]),
  ];
  const bootsFromNetwork = dhcpSockets(loaded.config).length > 0;
  return [
    ...toPorts.filter((rule) => rule.ports.length > 0),
    ...(bootsFromNetwork ? [{ protocol: 'icmpv6' as const, ports: [], device }] : []),
  ];
}
