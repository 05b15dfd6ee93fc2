// The actions of inspection rules, by name.
import type { LogLine } from '../../daemon/conductor/inspection/report-processor.ts';
import { parseMac } from '../../daemon/lib/network/mac.ts';
import { withCapability } from '../../daemon/model/machine/capabilities.ts';
import { inspectedNodeFields, inspectedPortFields } from '../../daemon/model/records/inspected-fields.ts';
import type { Json, JsonObject } from '../../daemon/model/json.ts';
import { isTrait, TRAIT_RULE } from '../../daemon/model/traits.ts';
import { actionOperators } from '../../daemon/model/rules/rule-operators.ts';
import type { RuleAction } from '../../daemon/model/rules/rule-parts.ts';
import { InspectionError } from '#plugin-api';
import type { Filling } from './fill-in.ts';
import { attributePath, type Change, changedAt, extend, existsAt, removeAt, set } from './paths.ts';
import { pythonText } from './python-text.ts';
import type { RuleDraft } from './rule-draft.ts';
import { runsOf } from './runs.ts';

/** Runs the action. Throws InspectionError when it cannot be carried out, or when it is `fail`. */
export async function act(action: RuleAction, draft: RuleDraft, filling: () => Filling): Promise<void> {
  const [doOnce, operator] = [actions[action.op], actionOperators[action.op]];
  if (doOnce === undefined || operator === undefined)
    throw new InspectionError(`${action.op} is not an action`);
  for (const args of runsOf(action, operator, filling())) await doOnce(draft, args);
}

type Act = (draft: RuleDraft, args: JsonObject) => void | Promise<void>;

const text = (value: Json | undefined): string => pythonText(value ?? '');
const setting: (args: JsonObject) => Change = ({ value = null }) => set(value);
const extension: (args: JsonObject) => Change = ({ value = null, unique = false }) =>
  extend(value, unique === true);
const removal = () => removeAt;

const onNode =
  (change: (args: JsonObject) => Change): Act =>
  (draft, args) => {
    const path = attributePath(text(args['path']));
    refuseOther(path, inspectedNodeFields);
    draft.node = changedAt(draft.node, path, change(args));
  };

function refuseOther([root = '']: readonly string[], allowed: readonly string[]): void {
  if (allowed.includes(root)) return;
  throw new InspectionError(`path: ${root} is not one of ${allowed.join(', ')}`);
}

const onPluginData =
  (change: (args: JsonObject) => Change): Act =>
  (draft, args) => {
    draft.pluginData = changedAt(draft.pluginData, text(args['path']).split('.'), change(args));
  };

function unsetPluginData(draft: RuleDraft, { path }: JsonObject): void {
  const keys = text(path).split('.');
  if (existsAt(draft.pluginData, keys)) draft.pluginData = changedAt(draft.pluginData, keys, removeAt);
  else draft.log('warn', `there is no plugin data ${text(path)} to remove`);
}

const onPort =
  (change: (args: JsonObject) => Change): Act =>
  (draft, args) => {
    const id = text(args['port_id']);
    const address = parseMac(id);
    const index = draft.ports.findIndex((port) => port['uuid'] === id || port['address'] === address);
    const port = draft.ports[index];
    if (port === undefined) throw new InspectionError(`port_id: the node has no port ${id}`);
    const path = attributePath(text(args['path']));
    refuseOther(path, inspectedPortFields);
    draft.ports[index] = changedAt(port, path, change(args));
  };

function setCapability(draft: RuleDraft, name: string, value: string | undefined): void {
  draft.node = changedAt(draft.node, ['properties', 'capabilities'], (old) => {
    const capabilities = withCapability(typeof old === 'string' ? old : '', name, value);
    return old === undefined && capabilities === '' ? undefined : capabilities;
  });
}

function changeTraits(draft: RuleDraft, change: (traits: readonly Json[]) => readonly Json[]): void {
  draft.node = changedAt(draft.node, ['traits'], (traits) => change(Array.isArray(traits) ? traits : []));
}

function addTrait(draft: RuleDraft, { name = '' }: JsonObject): void {
  const trait = text(name);
  if (!isTrait(trait))
    throw new InspectionError(`name: ${JSON.stringify(trait)} is not a trait: ${TRAIT_RULE}`);
  changeTraits(draft, (traits) => (traits.includes(trait) ? traits : [...traits, trait]));
}

function removeTrait(draft: RuleDraft, { name = '' }: JsonObject): void {
  changeTraits(draft, (traits) => {
    if (!traits.includes(name)) draft.log('warn', `there is no trait ${text(name)} to remove`);
    return traits.filter((trait) => trait !== name);
  });
}

function fail({ msg }: JsonObject): never {
  throw new InspectionError(text(msg));
}

const LEVELS: Readonly<Record<string, LogLine['level']>> = {
  debug: 'debug',
  info: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
};

const actions: Readonly<Record<string, Act>> = {
  fail: (_, args) => fail(args),
  log(draft, { msg, level = 'info' }) {
    const known = LEVELS[text(level).toLowerCase()];
    if (known === undefined)
      throw new InspectionError(`level: ${text(level)} is not one of ${Object.keys(LEVELS).join(', ')}`);
    draft.log(known, text(msg));
  },
  'set-attribute': onNode(setting),
  'extend-attribute': onNode(extension),
  'del-attribute': onNode(removal),
  'set-capability': (draft, { name, value }) => setCapability(draft, text(name), text(value)),
  'unset-capability': (draft, { name }) => setCapability(draft, text(name), undefined),
  'add-trait': addTrait,
  'remove-trait': removeTrait,
  'set-plugin-data': onPluginData(setting),
  'extend-plugin-data': onPluginData(extension),
  'unset-plugin-data': unsetPluginData,
  'set-port-attribute': onPort(setting),
  'extend-port-attribute': onPort(extension),
  'del-port-attribute': onPort(removal),
  'api-call': (draft, { url, ...options }) => draft.callApi(text(url), options),
};
