// /v1/deploy_templates: deploy steps for the instances that require a trait with the template's name.
import {
  changeSimpleRecord,
  createSimpleRecord,
  type SimpleKind,
} from '../../conductor/records/simple-records.ts';
import { fault } from '../../model/faults.ts';
import { field, schema } from '../../model/records/fields.ts';
import { type DeployTemplate, deployTemplateFields, stepListSummary } from '../../model/steps/step-lists.ts';
import { isTrait, TRAIT_RULE } from '../../model/traits.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { parseUuidOrThrow } from '../../http/parameter-kinds.ts';
import { type Resource, resourceRoutes } from '../../http/resource.ts';
import type { Route } from '../../http/route.ts';
import { findByUuidOrName } from '../../conductor/records/find-record.ts';
import { refuseRepeatedSteps, shownSteps, withNumber } from '../bodies/written-steps.ts';

const RESOURCE = 'deploy template';

const kind: SimpleKind<DeployTemplate> = {
  resource: RESOURCE,
  fields: deployTemplateFields,
  table: (services) => services.db.deployTemplates,
};

/** Clients may send a description, which is not stored. */
type Written = DeployTemplate & { readonly description: string | null };

const bodies = createBodies<Written>({
  resource: RESOURCE,
  fields: {
    ...deployTemplateFields,
    description: field(schema.textOrNull({ maxLength: 255 }), {
      since: 55,
      create: true,
      update: true,
      initial: null,
    }),
  },
  required: ['name', 'steps'],
  normalise(written) {
    const { description: _, ...given } = written;
    const { uuid, name, steps } = given;
    if (name !== undefined && !isTrait(name)) {
      const reason = `it does not match the rule for trait names: ${TRAIT_RULE}`;
      throw fault('InvalidName', { name, resource: RESOURCE, reason });
    }
    if (steps !== undefined) refuseRepeatedSteps(steps);
    return {
      ...given,
      ...(uuid !== undefined && { uuid: parseUuidOrThrow(uuid) }),
      ...(steps !== undefined && { steps: steps.map((step) => withNumber(step, 'priority')) }),
    };
  },
});

const deployTemplates: Resource<DeployTemplate> = {
  title: 'DeployTemplate',
  path: 'deploy_templates',
  argument: 'template_ident',
  key: 'deploy_templates',
  since: 55,
  below: 405,
  detailByArgument: true,
  fields: deployTemplateFields,
  namedIn: ({ db }) => db.deployTemplates,
  summary: stepListSummary,
  filters: {},
  shown: { steps: ({ steps }) => shownSteps(steps) },
  list: ({ services }, names, paging) => services.db.deployTemplates.list(names, [], paging),
  find({ services }, identifier) {
    const found = findByUuidOrName(services.db.deployTemplates, identifier);
    if (found === undefined) throw fault('DeployTemplateNotFound', { template: identifier });
    return found;
  },
  create: ({ services, body, minor }) => createSimpleRecord(services, kind, bodies.fromPost(body, minor)),
  bodies: {
    ...bodies,
    changes: (record, ...rest) => bodies.changes({ ...record, description: null }, ...rest),
  },
  change: ({ services }, record, changesOf) => changeSimpleRecord(services, kind, record, changesOf(record)),
  remove({ services }, { uuid }) {
    services.db.deployTemplates.remove(uuid);
  },
};

export const deployTemplateRoutes: readonly Route[] = resourceRoutes(deployTemplates);
