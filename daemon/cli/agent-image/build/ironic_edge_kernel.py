"""Finds what the default entry of an instance's boot loader boots: an entry of the Boot Loader Specification, else that of grub.cfg.

Everything is read from mounted file systems; nothing outside of them is, whatever links they contain.
"""

import fnmatch
import os
import re

from ironic_edge_grub import FILE_BYTES, Grub, NotUnderstood

ENTRIES = 1000
LINKS = 40
ENTRY_FOLDERS = ('loader/entries', 'boot/loader/entries')
GRUB_FOLDERS = ('boot/grub', 'boot/grub2', 'grub', 'grub2')
MULTIPLE = ('initrd', 'options')


class FileSystem:
    """`root`: where it is mounted. `names`: its UUID and its label."""

    def __init__(self, root, names=()):
        self.root, self.names = root, tuple(each for each in names if each)

    def path(self, name):
        """The file `name` with all links followed inside the file system; None if there is none."""
        parts, at, links = name.split('/')[::-1], [], 0
        while parts:
            part = parts.pop()
            if part in ('', '.'):
                continue
            if part == '..':
                at = at[:-1]
                continue
            here = os.path.join(self.root, *at, part)
            if not os.path.islink(here):
                at.append(part)
                continue
            links += 1
            if links > LINKS:
                return None
            target = os.readlink(here)
            at = [] if target.startswith('/') else at
            parts.extend(target.split('/')[::-1])
        found = os.path.join(self.root, *at)
        return found if os.path.exists(found) else None

    def read(self, name):
        found = self.path(name)
        if found is None or not os.path.isfile(found):
            return None
        with open(found, encoding='utf-8', errors='replace') as file:
            return file.read(FILE_BYTES)

    def files_in(self, folder):
        found = self.path(folder)
        return sorted(os.listdir(found)) if found and os.path.isdir(found) else []


def instance_kernel(file_systems, platform='efi'):
    """What to boot: paths `kernel` and `initrds`, `options`, `title`, and `source`, the file that says so. Raises NotUnderstood."""
    grub, grub_file, on = read_grub(file_systems, platform)
    entry = None
    for each in file_systems:
        for folder in ENTRY_FOLDERS:
            entry = entry or entry_in_files(each, folder, grub)
    if entry is None and grub is not None:
        found = grub.default_entry()
        if found is None:
            raise NotUnderstood('the default entry of %s boots no Linux kernel' % grub_file)
        places = [each for each in file_systems if found['root'] in each.names] + [on] + file_systems
        entry = {**found, 'places': places, 'source': grub_file}
    if entry is None:
        raise NotUnderstood(no_entry(file_systems))
    return located(entry, grub is not None)


def read_grub(file_systems, platform):
    for each in file_systems:
        for folder in GRUB_FOLDERS:
            name = '/%s/grub.cfg' % folder
            text = each.read(name)
            if text is None:
                continue
            grub = Grub(each.read, '/' + folder, platform)
            grub.run_text(text)
            if grub.entries or grub.has_entries_in_files:
                return grub, name, each
    return None, None, None


def no_entry(file_systems):
    for each in file_systems:
        for folder in ('EFI/Linux', 'boot/EFI/Linux'):
            if any(name.lower().endswith('.efi') for name in each.files_in(folder)):
                return 'the instance boots a unified kernel image, which only firmware can start'
    return 'no file system of the instance has entries of a boot loader (loader/entries/*.conf, grub.cfg)'


def located(entry, through_grub):
    for place in entry['places']:
        kernel = place.path(entry['kernel'])
        initrds = [place.path(name) for name in entry['initrds']]
        if kernel is None or None in initrds:
            continue
        # GRUB adds it, and the instance's own tools look for it
        options = ('BOOT_IMAGE=%s ' % entry['kernel'] if through_grub else '') + entry['options']
        return {
            'kernel': kernel,
            'initrds': initrds,
            'options': options.strip(),
            'title': entry['title'],
            'source': entry['source'],
        }
    files = ', '.join([entry['kernel'], *entry['initrds']])
    raise NotUnderstood('%s names files that are on no file system of the instance: %s' % (entry['source'], files))


# --- entries of the Boot Loader Specification ---


def entry_in_files(file_system, folder, grub):
    names = [each for each in file_system.files_in(folder) if each.endswith('.conf')][:ENTRIES]
    entries = []
    for name in names:
        keys = keys_of(file_system.read('%s/%s' % (folder, name)) or '')
        if 'linux' in keys:
            entries.append({**keys, 'id': without_tries(name), 'file': name})
    if not entries:
        return None
    ordered = in_menu_order(entries, grub is not None)
    entry = default_of(ordered, file_system, grub)
    variables = grub.variables if grub is not None else {}
    words = [expand(each, variables) for each in entry.get('options', [])]
    ramdisks = [name for each in entry.get('initrd', []) for name in expand(each, variables).split()]
    return {
        'kernel': expand(entry['linux'], variables),
        'initrds': ramdisks,
        'options': ' '.join(' '.join(words).split()),
        'title': entry.get('title', entry['id']),
        'places': [file_system],
        'source': '/%s/%s' % (folder, entry['file']),
    }


def keys_of(text):
    keys = {}
    for line in text.splitlines():
        name, *rest = line.split(None, 1) or ['#']
        if name.startswith('#'):
            continue
        value = rest[0].strip() if rest else ''
        if name in MULTIPLE:
            keys.setdefault(name, []).append(value)
        else:
            keys[name] = value
    return keys


def without_tries(name):
    """`a+3-1.conf` is the entry `a`, which may fail three times more."""
    return re.sub(r'\+\d+(-\d+)?$', '', name[: -len('.conf')])


def in_menu_order(entries, through_grub):
    """The first entry is the default unless something else says so."""
    newest_first = sorted(entries, key=lambda each: version_key(each['id']), reverse=True)
    if through_grub:
        return newest_first
    by_version = sorted(newest_first, key=lambda each: version_key(each.get('version', '')), reverse=True)
    keyed = sorted((each for each in by_version if 'sort-key' in each), key=lambda each: (each['sort-key'], each.get('machine-id', '')))
    both = keyed + [each for each in newest_first if 'sort-key' not in each]
    return sorted(both, key=lambda each: re.search(r'\+0(-\d+)?\.conf$', each['file']) is not None)


def version_key(text):
    """6.12.9 is before 6.12.10, and 6.13~rc1 before 6.13."""
    kinds = {'~': (-2,)}
    tokens = re.findall(r'\d+|[a-zA-Z]+|~', text)
    return [kinds.get(each) or ((1, int(each), '') if each.isdigit() else (0, 0, each)) for each in tokens] + [(-1,)]


def default_of(entries, file_system, grub):
    if grub is not None:
        wanted = grub.variables.get('default', '')
        for each in entries:
            if wanted and wanted in (each['id'], each['id'] + '.conf', each.get('title')):
                return each
        return entries[int(wanted)] if wanted.isdigit() and int(wanted) < len(entries) else entries[0]
    wanted = keys_of(file_system.read('loader/loader.conf') or '').get('default', '')
    for each in entries:
        if wanted and (fnmatch.fnmatch(each['id'], wanted) or fnmatch.fnmatch(each['id'] + '.conf', wanted)):
            return each
    return entries[0]


def expand(text, variables):
    return re.sub(r'\$\{?(\w+)\}?', lambda found: variables.get(found[1], ''), text)
