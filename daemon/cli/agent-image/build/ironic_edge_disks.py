"""A collector of ironic-python-agent: names each disk that is not empty, so that the daemon erases no data unasked.

A disk is empty if neither the disk nor anything on it has a signature that wipefs knows (partition tables, file systems, members of
RAID and LVM, encryption), and if its first bytes are zero. The disks are only read.
"""

import json
import os
import subprocess

# no more than what the agent's step erase_devices_metadata overwrites with zeros
FIRST_BYTES = 16384


def collect(data, failures):
    """Called by the agent after its other collectors. `failures` stays as it is: the daemon would end the inspection."""
    disks = member(data.get('inventory', {}), 'disks')
    if disks is None:
        return
    found = {os.path.basename(disk): contents_of(disk) for disk in (member(each, 'name') for each in disks)}
    data['disk_contents'] = {disk: text for disk, text in found.items() if text}


def member(thing, name):
    """The inventory holds objects of the agent, which the agent encodes later."""
    return thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)


def contents_of(disk):
    """A text like `gpt, 3 partitions, ext4`; empty if the disk is."""
    try:
        return described(disk, devices_on(disk))
    except Exception:
        # it may hold data
        return 'unreadable'


def described(disk, kinds):
    """`kinds`: what lsblk calls each device on the disk, by its path."""
    own = signatures_on([disk])
    others = [signature for signature in signatures_on(kinds) if signature not in own] if kinds else []
    partitions = sum(kind == 'part' for kind in kinds.values())
    count = ['%d partition%s' % (partitions, 's' if partitions > 1 else '')] if partitions else []
    words = own + count + others
    return ', '.join(words) if words else unknown_data(disk)


def devices_on(disk):
    """Partitions, and what is made of them."""
    listed = json.loads(output_of('lsblk', '--json', '--paths', '--output', 'NAME,TYPE', disk))
    waiting = [child for device in listed['blockdevices'] for child in device.get('children', [])]
    kinds = {}
    for device in waiting:
        kinds[device['name']] = device['type']
        waiting.extend(device.get('children', []))
    return kinds


def signatures_on(devices):
    """Without repetitions. A GPT has a second signature for programs that do not know it."""
    text = output_of('wipefs', '--json', '--output', 'TYPE', *devices)
    found = json.loads(text)['signatures'] if text.strip() else []
    types = list(dict.fromkeys(each['type'] for each in found))
    return [each for each in types if each != 'PMBR' or 'gpt' not in types]


def unknown_data(disk):
    with open(disk, 'rb') as file:
        return 'data of an unknown format' if any(file.read(FIRST_BYTES)) else ''


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
