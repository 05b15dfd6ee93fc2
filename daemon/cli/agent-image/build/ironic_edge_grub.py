"""Reads grub.cfg as GRUB does, as far as is needed to know what the default entry of its menu boots. Writes nothing.

GRUB's script is a language with variables and conditions, so it is evaluated. A command that this file does not know has no effect
and counts as failed.
"""

import re

STATEMENTS, DEPTH, FILE_BYTES = 20000, 30, 1 << 20
# what GRUB 2.02 and later set before they read grub.cfg
FEATURES = ('menuentry_id', 'default_font_path', 'platform_search_hint', 'timeout_style', 'all_video_module', '200_final', 'nativedisk_cmd')
WORD = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\$\{(\w+|\?)\}|\$(\w+|\?)|\\(.)|([^\s'"$\\;{}]+|[{}$])""", re.DOTALL)
VARIABLE = re.compile(r'\\(.)|\$\{(\w+|\?)\}|\$(\w+|\?)', re.DOTALL)
SEPARATORS = (';', '\n')
LOADERS = ('linux', 'linux16', 'linuxefi')
RAMDISKS = ('initrd', 'initrd16', 'initrdefi')
LOOPS = ('for', 'while', 'until')


class NotUnderstood(Exception):
    """A sentence for the operator."""


# --- words and statements ---


def words_of(text):
    """Words, each a list of pieces (kind, text), and separators. Kinds: literal, quoted, unquoted and variable."""
    tokens, word, at = [], [], 0

    def end_word():
        nonlocal word
        if word:
            tokens.append(word)
        word = []

    while at < len(text):
        one = text[at]
        if one == '#' and not word:
            end = text.find('\n', at)
            at = len(text) if end < 0 else end
        elif text.startswith('\\\n', at):
            at += 2
        elif one in SEPARATORS:
            end_word()
            tokens.append(one)
            at += 1
        elif one.isspace():
            end_word()
            at += 1
        elif one in '{}' and (not word or one == '}'):
            end_word()
            tokens.append([('literal', one)])
            at += 1
        else:
            found = WORD.match(text, at)
            if found is None:
                raise NotUnderstood('grub.cfg has a quote without an end')
            word.append(piece_of(found))
            at = found.end()
    end_word()
    return tokens


def piece_of(found):
    single, double, braced, named, escaped, plain = found.groups()
    if single is not None:
        return ('quoted', single)
    if double is not None:
        return ('double', double)
    if braced or named:
        return ('variable', braced or named)
    return ('literal', escaped if escaped is not None else plain)


def keyword(token):
    """The text of a word that may be a keyword; None for others and for separators."""
    return token[0][1] if isinstance(token, list) and len(token) == 1 and token[0][0] == 'literal' else None


class Parser:
    def __init__(self, text):
        self.tokens = words_of(text)
        self.at = 0

    def block(self, *ends, depth=0):
        """The statements up to one of the keywords, which is taken too. Without keywords: all."""
        if depth > DEPTH:
            raise NotUnderstood('grub.cfg is nested more than %d times' % DEPTH)
        statements = []
        while True:
            while self.at < len(self.tokens) and self.tokens[self.at] in SEPARATORS:
                self.at += 1
            if self.at >= len(self.tokens):
                if ends:
                    raise NotUnderstood('grub.cfg ends before "%s"' % ends[0])
                return statements, None
            word = keyword(self.tokens[self.at])
            if word in ends:
                self.at += 1
                return statements, word
            statements.append(self.statement(word, depth + 1))

    def statement(self, word, depth):
        if word == 'if':
            self.at += 1
            return self.condition(depth)
        if word == 'function':
            self.at += 1
            name = keyword(self.tokens[self.at]) if self.at < len(self.tokens) else None
            self.at += 1
            self.opening()
            return ('function', name, self.block('}', depth=depth)[0])
        if word in LOOPS:
            self.at += 1
            self.block('done', depth=depth)
            return ('command', [])
        return self.command(word, depth)

    def condition(self, depth):
        cases = []
        end = 'elif'
        while end == 'elif':
            test, _ = self.block('then', depth=depth)
            body, end = self.block('elif', 'else', 'fi', depth=depth)
            cases.append((test, body))
        otherwise = self.block('fi', depth=depth)[0] if end == 'else' else []
        return ('if', cases, otherwise)

    def opening(self):
        while self.at < len(self.tokens) and self.tokens[self.at] == '\n':
            self.at += 1
        if self.at >= len(self.tokens) or keyword(self.tokens[self.at]) != '{':
            raise NotUnderstood('grub.cfg lacks a "{"')
        self.at += 1

    def command(self, word, depth):
        words = []
        while self.at < len(self.tokens) and self.tokens[self.at] not in SEPARATORS:
            token = self.tokens[self.at]
            if keyword(token) == '{' and word in ('menuentry', 'submenu'):
                self.at += 1
                return (word, words[1:], self.block('}', depth=depth)[0])
            if keyword(token) == '}':
                break
            words.append(token)
            self.at += 1
        return ('command', words)


# --- what the statements do ---


class Entry:
    """An entry of a menu; one of a submenu has `is_menu`."""

    def __init__(self, title, name, body, is_menu):
        self.title, self.name, self.body, self.is_menu = title, name, body, is_menu


class Grub:
    """`read`: returns the text of a file of the file system that has grub.cfg, or None. `folder`: where grub.cfg is."""

    def __init__(self, read, folder, platform='efi'):
        self.read = read
        self.variables = {'feature_%s' % each: 'y' for each in FEATURES}
        self.variables.update(grub_platform=platform, prefix=folder, config_directory=folder, root='', default='0')
        self.functions, self.entries = {}, []
        self.has_entries_in_files = False
        self.left, self.depth = STATEMENTS, 0
        self.booted = {}

    def run_text(self, text):
        self.run(Parser(text).block()[0])

    def run(self, statements):
        """Returns whether the last statement succeeded."""
        self.depth += 1
        if self.depth > DEPTH:
            raise NotUnderstood('grub.cfg calls itself')
        success = True
        for statement in statements:
            self.left -= 1
            if self.left < 0:
                raise NotUnderstood('grub.cfg has more than %d statements' % STATEMENTS)
            success = self.step(statement)
        self.depth -= 1
        return success

    def step(self, statement):
        kind = statement[0]
        if kind == 'if':
            for test, body in statement[1]:
                if self.run(test):
                    return self.run(body)
            return self.run(statement[2])
        if kind == 'function':
            self.functions[statement[1]] = statement[2]
        elif kind == 'command':
            return self.command(self.expanded(statement[1]))
        else:
            self.entries.append(self.entry(kind, self.expanded(statement[1]), statement[2]))
        return True

    def entry(self, kind, words, body):
        title = next((each for each in words if not each.startswith('--')), '')
        name = next((after for word, after in zip(words, words[1:]) if word == '--id'), '')
        name = name or next((each[len('--id=') :] for each in words if each.startswith('--id=')), '')
        return Entry(title, name, body, kind == 'submenu')

    def expanded(self, words):
        out = []
        for word in words:
            parts = [self.expand(kind, text) for kind, text in word]
            if any(parts) or any(kind in ('quoted', 'double') for kind, _ in word):
                out.append(''.join(parts))
        return out

    def expand(self, kind, text):
        if kind == 'variable':
            return self.variables.get(text, '')
        if kind == 'double':
            return VARIABLE.sub(lambda found: found[1] if found[1] else self.variables.get(found[2] or found[3], ''), text)
        return text

    def command(self, words):
        if not words:
            return True
        name, *given = words
        if name == '!':
            return not self.command(given)
        if name in self.functions:
            return self.run(self.functions[name])
        if name in LOADERS + RAMDISKS:
            return self.load(name, given)
        own = COMMANDS.get(name)
        if own is not None:
            return own(self, given)
        return self.assign(words) if re.match(r'\w+=', name) else False

    def load(self, name, given):
        files = [without_device(each) for each in given]
        if name in RAMDISKS:
            self.booted['initrds'] = files
        elif files:
            self.booted.update(kernel=files[0], options=' '.join(given[1:]), root=self.variables.get('root', ''), initrds=[])
        return True

    def assign(self, given):
        for each in given[:1]:
            name, _, value = each.partition('=')
            self.variables[name] = value
        return True

    def unset(self, given):
        for each in given:
            self.variables.pop(each, None)
        return True

    def load_env(self, given):
        path = '/grubenv'
        if given[:1] == ['-f'] or given[:1] == ['--file']:
            path, given = without_device(given[1]) if len(given) > 1 else '', given[2:]
        else:
            path = self.variables['prefix'] + path
        text = self.read(path)
        if text is None:
            return False
        names = [each for each in given if not each.startswith('-')]
        for line in text.splitlines():
            name, equals, value = line.partition('=')
            if equals and not line.startswith('#') and (not names or name in names):
                self.variables[name] = re.sub(r'\\(.)', r'\1', value)
        return True

    def search(self, given):
        """The device is named by what was searched for."""
        names = [each for each in given if not each.startswith('-')]
        variable = next((each[len('--set=') :] for each in given if each.startswith('--set=')), None)
        if variable is None:
            variable = 'root'
            if '--set' in given and len(names) > 1:
                variable, *names = names
        if names:
            self.variables[variable] = names[-1]
        return bool(names)

    def search_short(self, given):
        """`search.fs_uuid UUID VARIABLE`."""
        if len(given) > 1:
            self.variables[given[1]] = given[0]
        return len(given) > 1

    def include(self, given):
        text = self.read(without_device(given[0])) if given else None
        if text is None:
            return False
        self.run_text(text)
        return True

    def entries_in_files(self, _given):
        self.has_entries_in_files = True
        return True

    def test(self, given):
        words = given[:-1] if given[-1:] == [']'] else given
        if '-o' in words:
            at = words.index('-o')
            return self.test(words[:at]) or self.test(words[at + 1 :])
        if '-a' in words:
            at = words.index('-a')
            return self.test(words[:at]) and self.test(words[at + 1 :])
        if words[:1] == ['!']:
            return not self.test(words[1:])
        if len(words) == 3:
            return compare(*words)
        if len(words) == 2:
            return self.test_one(*words)
        return len(words) == 1 and words[0] != ''

    def test_one(self, operator, word):
        if operator in ('-n', '-z'):
            return (word != '') == (operator == '-n')
        if operator in ('-e', '-f', '-s'):
            return bool(self.read(without_device(word)))
        return False

    # --- the menu ---

    def default_entry(self):
        """What the default entry boots: kernel, initrds, options, root (what the device was searched by), title. None: no entry."""
        path = self.variables.get('default', '0')
        entry = None
        for _ in range(DEPTH):
            first, _, path = path.partition('>')
            entry = chosen(self.entries, first)
            if entry is None:
                return None
            if not entry.is_menu:
                break
            self.entries = []
            self.run(entry.body)
        self.booted = {}
        self.run(entry.body)
        return {**self.booted, 'title': entry.title} if 'kernel' in self.booted else None


def chosen(entries, wanted):
    """As GRUB chooses: by ID, title or number, else the first."""
    for each in entries:
        if wanted and wanted in (each.name, each.title):
            return each
    if wanted.isdigit() and int(wanted) < len(entries):
        return entries[int(wanted)]
    return entries[0] if entries else None


def compare(left, operator, right):
    if operator in ('=', '=='):
        return left == right
    if operator == '!=':
        return left != right
    if not (left.lstrip('-').isdigit() and right.lstrip('-').isdigit()):
        return False
    one, other = int(left), int(right)
    return {'-eq': one == other, '-ne': one != other, '-lt': one < other, '-le': one <= other, '-gt': one > other, '-ge': one >= other}.get(operator, False)


def without_device(path):
    """`($root)/boot/vmlinuz` and `(hd0,gpt2)/boot/vmlinuz` are /boot/vmlinuz."""
    return re.sub(r'^\([^)]*\)', '', path)


COMMANDS = {
    'set': Grub.assign,
    'unset': Grub.unset,
    'load_env': Grub.load_env,
    'search': Grub.search,
    'search.fs_uuid': Grub.search_short,
    'search.fs_label': Grub.search_short,
    'configfile': Grub.include,
    'source': Grub.include,
    '.': Grub.include,
    'blscfg': Grub.entries_in_files,
    '[': Grub.test,
    'test': Grub.test,
    'true': lambda _grub, _given: True,
    'insmod': lambda _grub, _given: True,
    'export': lambda _grub, _given: True,
    'echo': lambda _grub, _given: True,
}
