// Parses the INI dialect of oslo.config, the format of ironic.conf (decision 0002).

export interface IniEntry {
  readonly section: string;
  readonly option: string;
  /** The value without surrounding quotes; the lines of a continued value are joined by newlines. */
  readonly value: string;
  /** The number of the entry's first line, from 1. */
  readonly line: number;
}

export interface IniProblem {
  readonly line: number;
  readonly message: string;
}

export interface IniFile {
  /** The entries in the order of the file; an option that is set twice has two entries. */
  readonly entries: readonly IniEntry[];
  readonly problems: readonly IniProblem[];
}

/** Never throws: an unreadable line is reported in `problems`, and parsing continues with the next line. */
export function parseIni(text: string): IniFile {
  const entries: IniEntry[] = [];
  const problems: IniProblem[] = [];
  let section: string | undefined;
  let open: IniEntry | undefined;

  const close = () => {
    if (open !== undefined) entries.push(open);
    open = undefined;
  };
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const found = classify(raw.trimEnd());
    if (found.kind === 'continuation' && open !== undefined) {
      open = { ...open, value: `${open.value}\n${found.text}` };
      continue;
    }
    close();
    const line = index + 1;
    if (found.kind === 'section') section = found.name;
    else if (found.kind === 'entry' && section !== undefined) {
      open = { section, option: found.option, value: found.value, line };
    } else if (found.kind !== 'nothing') problems.push({ line, message: problemOf(found) });
  }
  close();
  return { entries, problems };
}

type Line =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'continuation'; readonly text: string }
  | { readonly kind: 'section'; readonly name: string }
  | { readonly kind: 'entry'; readonly option: string; readonly value: string }
  | { readonly kind: 'unreadable'; readonly message: string };

function classify(line: string): Line {
  if (line === '' || line.startsWith('#') || line.startsWith(';')) return { kind: 'nothing' };
  if (/^\s/.test(line)) return { kind: 'continuation', text: line.trimStart() };
  if (line.startsWith('[')) return classifySection(line);
  const separator = line.search(/[=:]/);
  const option = line.slice(0, Math.max(separator, 0)).trim();
  if (option === '')
    return { kind: 'unreadable', message: 'expected "option = value", "[section]" or "# comment"' };
  return { kind: 'entry', option, value: unquoted(line.slice(separator + 1).trim()) };
}

function classifySection(line: string): Line {
  const name = /^\[(.+)\]$/.exec(line)?.[1];
  if (name !== undefined) return { kind: 'section', name };
  return { kind: 'unreadable', message: 'expected "[section]" with nothing after it' };
}

function problemOf(line: Exclude<Line, { readonly kind: 'nothing' | 'section' }>): string {
  if (line.kind === 'unreadable') return line.message;
  if (line.kind === 'entry') return `${line.option} is set before the first section; put [DEFAULT] above it`;
  return 'the line starts with white space, but there is no value above it to continue; remove the white space';
}

function unquoted(value: string): string {
  return /^(?:"[^]*"|'[^]*')$/.test(value) ? value.slice(1, -1) : value;
}
