"""An extension of ironic-python-agent: starts the kernel of the written instance without a boot of the firmware (kexec).

`instance_kernel.load` finds the kernel on the disk and loads it; `instance_kernel.start` starts it in place of the ramdisk. A command
that fails says why, and the ramdisk runs on.
"""

import contextlib
import ctypes
import errno
import json
import os
import platform
import shutil
import subprocess
import tempfile
import time

from ironic_python_agent import hardware
from ironic_python_agent.extensions import base

from ironic_edge_grub import NotUnderstood
from ironic_edge_kernel import FileSystem, instance_kernel

# how each file system is mounted so that nothing is written to it, not even its journal
MOUNT_OPTIONS = {
    'ext2': 'ro',
    'ext3': 'ro,noload',
    'ext4': 'ro,noload',
    'xfs': 'ro,norecovery,nouuid',
    'btrfs': 'ro,rescue=nologreplay',
    'vfat': 'ro',
}
KEXEC_FILE_LOAD = {'x86_64': 320, 'aarch64': 294}
NO_INITRAMFS = 4
START_LOADED_KERNEL = 0x45584543
# the answer to `start` reaches the daemon before the network is gone
ANSWER_SECONDS = 2
LOADED = '/sys/kernel/kexec_loaded'
REASONS = {
    errno.EPERM: 'the kernel of the ramdisk does not allow it, as with Secure Boot if its signature is missing or not trusted',
    errno.ENOSYS: 'the kernel of the ramdisk cannot do it',
    errno.ENOEXEC: 'the kernel of the ramdisk does not know its format, or it is for another architecture',
    errno.EKEYREJECTED: 'Secure Boot: its signature is not by a key that the kernel of the ramdisk trusts',
    errno.ENOKEY: 'Secure Boot: its signature is not by a key that the kernel of the ramdisk trusts',
    errno.ENODATA: 'Secure Boot: it has no signature',
    errno.EBADMSG: 'Secure Boot: its signature cannot be read',
    errno.EBUSY: 'another kernel is being loaded',
    errno.ENOMEM: 'the machine has not enough memory',
}


class InstanceKernelExtension(base.BaseAgentExtension):
    @base.async_command('load')
    def load(self):
        """Returns what was loaded: kernel, initrds, options, title, source. Raises an error that says why nothing was."""
        disk = hardware.dispatch_to_managers('get_os_install_device')
        return load_kernel(disk)

    @base.async_command('start')
    def start(self):
        """Does not return unless it fails."""
        with open(LOADED) as file:
            if file.read().strip() != '1':
                raise NotUnderstood('no kernel is loaded')
        time.sleep(ANSWER_SECONDS)
        os.sync()
        libc().reboot(START_LOADED_KERNEL)
        raise NotUnderstood('the kernel of the ramdisk did not start the loaded one: %s' % os.strerror(ctypes.get_errno()))


def load_kernel(disk):
    with contextlib.ExitStack() as stack:
        file_systems = [stack.enter_context(mounted(*each)) for each in file_systems_on(disk)]
        found = instance_kernel([each for each in file_systems if each], firmware())
        roots = sorted((each.root for each in file_systems if each), key=len)
        shown = {name: on_disk(found[name], roots) for name in ('kernel', 'initrds')}
        with open(found['kernel'], 'rb') as kernel, joined(found['initrds']) as initrd:
            code = kexec_load(kernel, initrd, found['options'])
        if code != 0:
            reason = REASONS.get(code, 'see its number')
            raise NotUnderstood('the kernel %s was not loaded: %s (%s)' % (shown['kernel'], reason, os.strerror(code)))
        return {**found, **shown}


def on_disk(found, roots):
    if isinstance(found, list):
        return [on_disk(each, roots) for each in found]
    return next((found[len(root) :] for root in roots if found.startswith(root + '/')), found)


def firmware():
    return 'efi' if os.path.isdir('/sys/firmware/efi') else 'pc'


def file_systems_on(disk):
    """Each as device, type and names (UUID, label); the disk itself may be one."""
    subprocess.run(['udevadm', 'settle'], check=False)
    listed = subprocess.run(['lsblk', '--json', '--paths', '--output', 'NAME', disk], check=True, capture_output=True, text=True)
    waiting, found = json.loads(listed.stdout)['blockdevices'], []
    for each in waiting:
        waiting.extend(each.get('children', []))
        contents = contents_of(each['name'])
        if contents.get('TYPE') in MOUNT_OPTIONS:
            found.append((each['name'], contents['TYPE'], (contents.get('UUID'), contents.get('LABEL'))))
    return found


def contents_of(device):
    """What is on the device now; the records of udev may be older than the image."""
    probed = subprocess.run(['blkid', '-p', '-o', 'export', device], check=False, capture_output=True, text=True)
    return dict(line.split('=', 1) for line in probed.stdout.splitlines() if '=' in line)


@contextlib.contextmanager
def mounted(device, kind, names):
    """A FileSystem; None for one that cannot be mounted, such as an empty partition with an old signature."""
    root = tempfile.mkdtemp(prefix='instance-')
    command = ['mount', '-t', kind, '-o', MOUNT_OPTIONS[kind], device, root]
    is_mounted = subprocess.run(command, check=False, capture_output=True).returncode == 0
    try:
        yield FileSystem(root, names) if is_mounted else None
    finally:
        if is_mounted:
            subprocess.run(['umount', root], check=False)
        os.rmdir(root)


@contextlib.contextmanager
def joined(files):
    """The files as one, each at a multiple of four bytes; None if there are none."""
    if not files:
        yield None
        return
    if len(files) == 1:
        with open(files[0], 'rb') as file:
            yield file
        return
    # the kernel reads no file that is open for writing
    with tempfile.NamedTemporaryFile(delete=False) as whole:
        for each in files:
            with open(each, 'rb') as file:
                shutil.copyfileobj(file, whole)
            whole.write(bytes(-whole.tell() % 4))
    try:
        with open(whole.name, 'rb') as file:
            yield file
    finally:
        os.unlink(whole.name)


def kexec_load(kernel, initrd, options):
    """Returns the number of the error; 0 when the kernel is loaded."""
    number = KEXEC_FILE_LOAD.get(platform.machine())
    if number is None:
        raise NotUnderstood('kexec is not known on %s' % platform.machine())
    line = options.encode() + b'\0'
    ramdisk, flags = (-1, NO_INITRAMFS) if initrd is None else (initrd.fileno(), 0)
    arguments = [ctypes.c_long(each) for each in (number, kernel.fileno(), ramdisk, len(line))]
    failed = libc().syscall(*arguments, ctypes.c_char_p(line), ctypes.c_long(flags)) != 0
    return ctypes.get_errno() if failed else 0


def libc():
    return ctypes.CDLL(None, use_errno=True)
