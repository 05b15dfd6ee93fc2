#!/usr/bin/python3
"""Replaces programs that the agent calls and that need a block device or a machine; here the disk is a file.

A link to this file acts as the program whose name the link has. Programs that main() does not name do nothing."""
import json
import os
import re
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


def partitions():
    listed = subprocess.run(real('sgdisk', ['-p', DISK]), capture_output=True, text=True).stdout
    for number in re.findall(r'^ +([0-9]+) ', listed, re.M):
        told = subprocess.run(real('sgdisk', ['-i', number, DISK]), capture_output=True, text=True).stdout
        yield number, re.search(r'unique GUID: (\S+)', told).group(1).lower()


def lsblk(words):
    restore_size()
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
    if program in ('lsblk', 'blockdev', 'partprobe', 'lshw'):
        globals()[program](words)
    elif program in ('poweroff', 'reboot'):
        switch(program)
    elif program == 'sgdisk':
        restore_size()
        os.execv(real(program, words)[0], real(program, words))
    elif program == 'dd':
        # some file systems do not support O_DIRECT; notrunc keeps the size of the file, as a real disk keeps its size
        kept = [word for word in words if word != 'oflag=direct'] + ['conv=notrunc']
        os.execv(real(program, kept)[0], real(program, kept))


main()
