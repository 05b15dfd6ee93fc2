// `ironic-edge plugin`: creates, checks, tries, ships and lists plugins.
import { newPlugin, protocols } from '../../plugin-kit/tools/new-plugin.ts';
import { commandOf, groupOf, TEXT, WrongArguments } from '../command.ts';
import { check } from './check-command.ts';
import { listCommand } from './list-command.ts';
import { PLUGIN_USAGE as usage } from './plugin-usage.ts';
import { install, pack, reload, remove } from './ship-commands.ts';
import { show } from './show-command.ts';
import { tryOut } from './try-command.ts';

const create = commandOf({
  usage,
  options: { protocol: { ...TEXT, default: 'http' } },
  positionals: ['NAME'],
  run({ values, positionals: [name] }, { stdout }) {
    const protocol = protocols.find((one) => one === values.protocol);
    if (protocol === undefined)
      throw new WrongArguments(
        `--protocol ${JSON.stringify(values.protocol)}: expected one of ${protocols.join(', ')}`,
      );
    stdout.write(`${newPlugin(name, '.', protocol)}\nNext: ironic-edge plugin check ${name}\n`);
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
  list: listCommand,
  show,
});
