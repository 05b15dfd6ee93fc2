#!/usr/bin/python3
"""Replaces programs that the agent calls and that need a block device or a machine; here the disk is a file.

A link to this file acts as the program whose name the link has. Programs that main() does not name do nothing."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

MACHINE = '/srv/machine'
DISK = '/dev/sda'
SECTOR = 512


def real(program, words):
    found = next(path for path in ('/usr/sbin/', '/usr/bin/', '/sbin/', '/bin/') if os.path.exists(path + program))
    return [found + program, *words]


def size():
    with open(MACHINE + '/disk-bytes') as text:
        return int(text.read())


# a program that opens the disk with O_TRUNC empties this file; a real disk would keep its size
def restore_size():
    if os.path.isfile(DISK) and os.path.getsize(DISK) < size():
        os.truncate(DISK, size())


def told(number):
    return subprocess.run(real('sgdisk', ['-i', number, DISK]), capture_output=True, text=True).stdout


def partitions():
    listed = subprocess.run(real('sgdisk', ['-p', DISK]), capture_output=True, text=True).stdout
    for number in re.findall(r'^ +([0-9]+) ', listed, re.M):
        yield number, re.search(r'unique GUID: (\S+)', told(number)).group(1).lower()


def place(device):
    """Where the partition begins on the disk, in bytes, and how long it is."""
    text = told(re.search('[0-9]+$', device).group())
    first, last = (int(re.search(r'%s sector: ([0-9]+)' % each, text).group(1)) for each in ('First', 'Last'))
    return first * SECTOR, (last + 1 - first) * SECTOR


def lsblk(words):
    restore_size()
    if '--paths' in words:
        children = [{'name': DISK + number} for number, _uuid in partitions()]
        print(json.dumps({'blockdevices': [{'name': DISK, 'children': children}]}))
        return
    # the columns are given as -PbioNAME,NAME or -no NAME
    at, option = next(((at, word) for at, word in enumerate(words) if re.match('-[a-zA-Z]*o', word)), (0, '-oNAME'))
    columns = (re.sub('^-[a-zA-Z]*o', '', option) or words[at + 1]).upper().split(',')
    facts = {'KNAME': 'sda', 'NAME': 'sda', 'MODEL': 'FILE', 'SIZE': size(), 'ROTA': False, 'TYPE': 'disk', 'SERIAL': 'DISK0',
             'LOG-SEC': SECTOR, 'PHY-SEC': SECTOR}
    rows = [facts] + [{'KNAME': 'sda' + number, 'TYPE': 'part', 'PARTUUID': uuid} for number, uuid in partitions()]
    if '--json' in words:
        print(json.dumps({'blockdevices': [{name.lower(): row.get(name) for name in columns} for row in rows]}))
    elif '-no' in words:
        print('\n'.join(str(row.get(columns[0]) or '') for row in rows))
    else:
        for row in rows:
            print(' '.join('%s="%s"' % (name, row.get(name) or '') for name in columns))


def blockdev(words):
    restore_size()
    if '--getsize64' in words:
        print(size())
    elif '--getss' in words:
        print(SECTOR)


def partprobe(_words):
    restore_size()
    for number, _uuid in partitions():
        name = '%s%s' % (DISK, number)
        if not os.path.lexists(name):
            os.symlink('%s/partition-%s' % (MACHINE, number), name)
            open(name, 'ab').close()


def become(program, words):
    os.execv(real(program, words)[0], real(program, words))


def blkid(words):
    if words[:1] == ['-p'] and words[-1] != DISK:
        offset, size = place(words[-1])
        words = [*words[:-1], '--offset', str(offset), '--size', str(size), DISK]
    become('blkid', words)


# only root mounts file systems: the files of the instance are copied instead
def mount(words):
    if '/instance-' not in words[-1]:
        become('mount', words)
    become('mcopy', ['-s', '-n', '-i', '%s@@%d' % (DISK, place(words[-2])[0]), '::*', words[-1]])


def umount(words):
    if '/instance-' not in words[-1]:
        become('umount', words)
    for each in os.listdir(words[-1]):
        path = os.path.join(words[-1], each)
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def lshw(_words):
    core = {'id': 'core', 'class': 'bus', 'children': [{'id': 'memory', 'class': 'memory', 'size': 2 ** 31, 'units': 'bytes'}]}
    print(json.dumps({'id': 'machine', 'class': 'system', 'vendor': 'None', 'product': 'Sandbox', 'children': [core]}))


def switch(state):
    with open(MACHINE + '/switched', 'w') as note:
        note.write(state)
    for each in os.listdir('/proc'):
        if each.isdigit() and b'ironic-python-agent' in open('/proc/%s/cmdline' % each, 'rb').read():
            os.kill(int(each), signal.SIGKILL)


def main():
    program, words = os.path.basename(sys.argv[0]), sys.argv[1:]
    if program in ('lsblk', 'blockdev', 'blkid', 'partprobe', 'lshw', 'mount', 'umount'):
        globals()[program](words)
    elif program in ('poweroff', 'reboot', 'kexec'):
        switch(program)
    elif program == 'sgdisk':
        restore_size()
        become(program, words)
    elif program == 'dd':
        # some file systems do not support O_DIRECT; notrunc keeps the size of the file, as a real disk keeps its size
        kept = [word for word in words if word != 'oflag=direct'] + ['conv=notrunc']
        become(program, kept)


main()
