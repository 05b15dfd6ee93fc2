// `ironic-edge plugin`: creates, checks, tries, ships and lists plugins.
import { newPlugin } from '../../plugin-host/tools/new-plugin.ts';
import { commandOf, groupOf } from '../command.ts';
import { check } from './check-command.ts';
import { list } from './list-command.ts';
import { PLUGIN_USAGE as usage } from './plugin-usage.ts';
import { install, pack, reload, remove } from './ship-commands.ts';
import { show } from './show-command.ts';
import { tryOut } from './try-command.ts';

const create = commandOf({
  usage,
  options: {},
  positionals: ['NAME'],
  run({ positionals: [name] }, { stdout }) {
    stdout.write(`${newPlugin(name, '.')}\nNext: ironic-edge plugin check ${name}\n`);
    return 0;
  },
});

export const pluginCommand = groupOf(usage, {
  new: create,
  check,
  try: tryOut,
  pack,
  install,
  remove,
  reload,
  list,
  show,
});
