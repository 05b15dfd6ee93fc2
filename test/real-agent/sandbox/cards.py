"""The network card of the sandboxed agent's machine, and its kernel as far as kexec asks it for something.

The agent's own hardware manager reports everything else.
"""
import ctypes
import os
import subprocess

from ironic_python_agent import hardware

try:
    import ironic_edge_kexec
except ImportError:
    # the agent without what `ironic-edge agent-image build` adds
    ironic_edge_kexec = None

LOADED = '/tmp/kexec_loaded'


def boot_mac():
    with open('/proc/cmdline') as words:
        return [word for word in words.read().split() if word.startswith('BOOTIF=01-')][-1][10:].replace('-', ':')


class Cards(hardware.HardwareManager):
    HARDWARE_MANAGER_NAME = 'cards'
    HARDWARE_MANAGER_VERSION = '1'

    def evaluate_hardware_support(self):
        return hardware.HardwareSupport.SERVICE_PROVIDER

    def get_interface_info(self, interface_name):
        return hardware.NetworkInterface(interface_name, boot_mac(), ipv4_address='192.0.2.1', has_carrier=True)


class Kernel:
    def syscall(self, _number, kernel, initrd, length, line, _flags):
        """Keeps what is loaded with the machine."""
        loaded = [os.pread(each.value, 64, 0) for each in (kernel, initrd)] + [ctypes.string_at(line, length.value)]
        with open('/srv/machine/loaded', 'wb') as kept:
            kept.write(b'\n'.join(loaded))
        with open(LOADED, 'w') as flag:
            flag.write('1\n')
        return 0

    def reboot(self, _command):
        """The ramdisk ends at once."""
        subprocess.run(['kexec'], check=False)


if ironic_edge_kexec is not None:
    ironic_edge_kexec.LOADED = LOADED
    ironic_edge_kexec.libc = Kernel
