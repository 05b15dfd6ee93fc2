// /v1/inspection_rules: what inspection does with machines that meet conditions.
import {
  changeSimpleRecord,
  createSimpleRecord,
  type SimpleKind,
} from '../../conductor/records/simple-records.ts';
import { equalConditions } from '../../db/tables/table.ts';
import { fault } from '../../model/faults.ts';
import {
  type InspectionRule,
  inspectionRuleFields,
  inspectionRuleSummary,
  visibleRule,
} from '../../model/rules/inspection-rule.ts';
import type { JsonObject } from '../../model/json.ts';
import { parseAction, parseCondition } from '../../model/rules/rule-parts.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { parseUuidOrThrow } from '../../http/parameter-kinds.ts';
import { type Resource, resourceRoutes } from '../../http/resource.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type Route, route } from '../../http/route.ts';

const SINCE = 96;

const kind: SimpleKind<InspectionRule> = {
  resource: 'rule',
  fields: inspectionRuleFields,
  table: (services) => services.db.inspectionRules,
};

const bodies = createBodies<InspectionRule>({
  resource: 'inspection rule',
  fields: inspectionRuleFields,
  required: ['actions'],
  normalise: ({ uuid, priority, conditions, actions, ...given }) => ({
    ...given,
    // the command line client sends the number as a string
    ...(priority !== undefined && { priority: Number(String(priority)) }),
    ...(uuid !== undefined && { uuid: parseUuidOrThrow(uuid) }),
    ...(conditions !== undefined && {
      conditions: (conditions as readonly unknown[] as readonly JsonObject[]).map(parseCondition),
    }),
    ...(actions !== undefined && {
      actions: (actions as readonly unknown[] as readonly JsonObject[]).map(parseAction),
    }),
  }),
});

const filters = { phase: { kind: 'text' } } as const satisfies Parameters;

const inspectionRules: Resource<InspectionRule, typeof filters> = {
  title: 'InspectionRule',
  path: 'inspection_rules',
  key: 'inspection_rules',
  since: SINCE,
  below: 405,
  detailByArgument: true,
  fields: inspectionRuleFields,
  summary: inspectionRuleSummary,
  filters,
  shown: {
    conditions: (rule) => visibleRule(rule).conditions,
    actions: (rule) => visibleRule(rule).actions,
  },
  list: ({ services, query }, names, paging) =>
    services.db.inspectionRules.list(
      // needed to decide whether conditions and actions may be shown
      [...new Set([...names, 'sensitive' as const])],
      equalConditions<InspectionRule>({ phase: query.phase }),
      paging,
    ),
  find({ services }, identifier) {
    const found = services.db.inspectionRules.get(parseUuidOrThrow(identifier));
    if (found === undefined) throw fault('InspectionRuleNotFound', { rule: identifier });
    return found;
  },
  create: ({ services, body, minor }) => createSimpleRecord(services, kind, bodies.fromPost(body, minor)),
  bodies,
  change({ services }, record, changesOf) {
    const changes = changesOf(record);
    if (changes.sensitive === false) {
      throw fault('Invalid', {
        reason: `Rule ${record.uuid} is sensitive and cannot be made readable: delete it and create it again.`,
      });
    }
    return changeSimpleRecord(services, kind, record, changes);
  },
  remove({ services }, { uuid }) {
    services.db.inspectionRules.remove(uuid);
  },
};

export const inspectionRuleRoutes: readonly Route[] = [
  ...resourceRoutes(inspectionRules),
  route({
    method: 'DELETE',
    path: '/v1/inspection_rules',
    since: SINCE,
    below: 405,
    answers: { 204: null },
    handler({ services }) {
      services.db.inspectionRules.clear();
      return { status: 204 };
    },
  }),
];
