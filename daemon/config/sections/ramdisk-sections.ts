// The core's options for agents and for processing inspection data.
import { agentSection } from './agent-section.ts';
import { typed } from '../../lib/json/typed-schema.ts';
import { integerOrNull, list, pathOrNull, section, text } from './typed-options.ts';

export const ramdiskSections = {
  agent: agentSection,
  inspector: section({
    default_hooks: text(
      'ramdisk-error,validate-interfaces,ports,architecture',
      'The inspection hooks that run if hooks is not set; hooks may refer to them as $default_hooks.',
    ),
    hooks: list(
      ['$default_hooks'],
      'The inspection hooks to run, in this order. Names may be written with hyphens or underscores.',
    ),
    hook_workers: integerOrNull(
      { minimum: 1 },
      'How many reports the inspection hooks process at the same time. While some reports take longer than 5 seconds, up to 8 more are processed. Hooks of the daemon run in threads, those of other plugins in processes. Not set: one less than the number of processors that the daemon may use, but at least 1.',
    ),
  }),
  inspection_rules: section({
    built_in_rules: pathOrNull(
      'A YAML file with a list of inspection rules that apply in addition to those of the API. It is read at every inspection, so changes take effect at once. Not set: none.',
    ),
    mask_secrets: typed<'always' | 'never' | 'sensitive'>({
      type: 'string',
      enum: ['always', 'never', 'sensitive'],
      default: 'always',
      description:
        'Which inspection rules see *** instead of the passwords and tokens in the node, the inventory and the plugin data. always: all rules. sensitive: all except those marked sensitive. never: none.',
    }),
  }),
  inventory: section({
    data_backend: typed<'database' | 'none'>({
      type: 'string',
      enum: ['database', 'none'],
      default: 'database',
      description:
        'Where the inventories of successful inspections are stored. none: nowhere. Nodes and ports are updated either way.',
    }),
  }),
};
