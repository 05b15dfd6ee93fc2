// The core's options for what ramdisks do and tell.
import { agentSection } from './agent-section.ts';
import { typed } from '../lib/typed-schema.ts';
import { integerOrNull, list, pathOrNull, section, text } from './typed-options.ts';

export const ramdiskSections = {
  agent: agentSection,
  inspector: section({
    default_hooks: text(
      'ramdisk-error,validate-interfaces,ports,architecture',
      'The inspection hooks that hooks stands for while it is not set.',
    ),
    hooks: list(
      ['$default_hooks'],
      'The inspection hooks that run, in this order. A name may be written with hyphens or underscores.',
    ),
    hook_workers: integerOrNull(
      { minimum: 1 },
      'The most threads that inspection hooks run in. Not set: one less than this machine has processors.',
    ),
  }),
  inspection_rules: section({
    built_in_rules: pathOrNull(
      'A YAML file with a list of inspection rules that apply besides those of the API. It is read at every inspection, so a change takes effect at once.',
    ),
    mask_secrets: typed<'always' | 'never' | 'sensitive'>({
      type: 'string',
      enum: ['always', 'never', 'sensitive'],
      default: 'always',
      description:
        'Whether rules read passwords and tokens of the node, the inventory and the plugin data as ***. sensitive: all rules but those that are sensitive themselves.',
    }),
  }),
  inventory: section({
    data_backend: typed<'database' | 'none'>({
      type: 'string',
      enum: ['database', 'none'],
      default: 'database',
      description:
        'Where inventories of successful inspections are kept: in the database, or nowhere (none); nodes and ports are updated either way.',
    }),
  }),
};
