"""The network card of the sandboxed agent's machine; the agent's own hardware manager reports everything else."""
from ironic_python_agent import hardware


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
