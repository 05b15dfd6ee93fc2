// `ironic-edge completion`: prints a script with which a shell asks this command for the words to offer.
import { createApiClient } from './api-client.ts';
import { type Command, type CommandContext, commandOf, groupOf } from './command.ts';
import { nodeKind } from './nodes/node-kind.ts';
import { commandLabel, type RecordKind, recordKinds } from './records/record-kinds.ts';
import { cellText } from './text-table.ts';

const USAGE = `usage: ironic-edge completion bash|zsh|fish
       ironic-edge completion words LINE

Prints a script with which the shell completes commands, options and names of records:

  ironic-edge completion bash > /etc/bash_completion.d/ironic-edge
  ironic-edge completion zsh > /usr/local/share/zsh/site-functions/_ironic-edge
  ironic-edge completion fish > ~/.config/fish/completions/ironic-edge.fish

  words  print the words that may come after LINE, for example after "node timeline"; the scripts call this command
`;

const scripts = {
  bash: `_ironic_edge() {
  local word current=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r word; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$word")
  done < <(ironic-edge completion words "\${COMP_WORDS[*]:1:COMP_CWORD-1}" 2>/dev/null)
  [[ \${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
}
complete -o default -F _ironic_edge ironic-edge
`,
  zsh: `#compdef ironic-edge
_ironic_edge() {
  local -a offered
  offered=(\${(f)"$(ironic-edge completion words "\${(j: :)words[2,CURRENT-1]}" 2>/dev/null)"})
  compadd -a offered || _files
}
if [[ $funcstack[1] == _ironic-edge ]]; then _ironic_edge "$@"; else compdef _ironic_edge ironic-edge; fi
`,
  fish: `function __ironic_edge_words
  set -l words (commandline -opc)[2..]
  ironic-edge completion words "$words" 2>/dev/null
end
complete -c ironic-edge -a '(__ironic_edge_words)'
`,
} as const;

const printing = (script: string): Command =>
  commandOf({
    usage: USAGE,
    options: {},
    positionals: [],
    run(_, { stdout }) {
      stdout.write(script);
      return 0;
    },
  });

/** `next`: returns what may come after given words, as `Command.next` does. */
export const completionCommand = (next: Command['next']): Command =>
  groupOf(USAGE, {
    bash: printing(scripts.bash),
    zsh: printing(scripts.zsh),
    fish: printing(scripts.fish),
    words: commandOf({
      usage: USAGE,
      options: {},
      positionals: ['LINE'],
      async run({ positionals: [line] }, { environment, stdout }) {
        const offered = await next(line.split(' ').filter((word) => word !== ''));
        const kind = kindNamedIn(offered);
        const names = kind === undefined ? [] : await namesOf(kind, environment);
        const fixed = offered.filter((word) => word !== word.toUpperCase());
        for (const word of [...names, ...fixed]) stdout.write(`${word}\n`);
        return 0;
      },
    }),
  });

/** How long a shell waits for the names of records when it completes a word. */
const COMPLETION_SECONDS = 2;

/** Returns the kind of record that an offered argument such as NODE, or NODE|MACHINE, names; undefined if none names a record. */
function kindNamedIn(offered: readonly string[]): RecordKind | undefined {
  const kinds = [nodeKind, ...recordKinds.values()];
  const labels = new Set(offered.map((word) => word.split('|')[0]));
  return kinds.find((kind) => labels.has(commandLabel(kind)));
}

/**
 * A word that no shell reads as anything else. The shell puts what it is offered into the command line, where `$(...)` in a name
 * would be run.
 */
const PLAIN_WORD = /^\w[\w.@:+-]*$/;

/** Returns no names if the request to the API fails: a shell shows no errors while it completes a word. */
async function namesOf(
  { path, key, columns }: RecordKind,
  environment: CommandContext['environment'],
): Promise<readonly string[]> {
  const fields = ['name', 'hostname', 'uuid'].filter((field) => columns.includes(field));
  try {
    const api = createApiClient(environment, COMPLETION_SECONDS);
    const records = await api.list(`${path}?fields=${fields.join(',')}`, key);
    return records.flatMap((record) => {
      const texts = fields.map((field) => cellText(record[field]));
      return texts.find((text) => PLAIN_WORD.test(text)) ?? [];
    });
  } catch {
    return [];
  }
}
