# Does with the library sushy what Ironic's redfish driver does. Reads names of operations from standard input, carries out each
# operation and prints `done` or its error.
import sys

import sushy
from sushy import auth, exceptions

address = sys.argv[1]
connection = sushy.Sushy(
    address, auth=auth.SessionAuth('admin', 'secret'), server_side_retries=2, server_side_retries_delay=0)
path = connection.get_system().path


def system(name=path):
    """Reads the system anew, as the driver does: between two calls it keeps nothing but the connection."""
    return connection.get_system(name)


def sync(name):
    system(name).power_state
    system(name).boot.mode
    system(name).secure_boot.enabled
    system(name).status.health


def media(one):
    try:
        return one.virtual_media.get_members()
    except exceptions.MissingAttributeError:
        return []


def eject(holders):
    for one in holders:
        for slot in media(one):
            if slot.inserted:
                slot.eject_media()


def boot_from_cd():
    managers = system().managers
    found = [one for one in [system(), *managers] if media(one)]
    eject([system(), *managers])
    for slot in media(found[0]):
        if {kind.value for kind in slot.media_types} & {'CD', 'DVD'}:
            slot.insert_media('http://192.0.2.1/boot.iso')
            break
    system().boot.mode
    system().set_system_boot_options(
        sushy.BOOT_SOURCE_TARGET_CD, enabled=sushy.BOOT_SOURCE_ENABLED_ONCE)


def eject_all():
    one = system()
    eject([one, *one.managers])


def inspect():
    one = system()
    one.processors.summary
    one.processors.get_members()
    one.storage.volumes_sizes_bytes
    one.storage.drives_sizes_bytes
    one.ethernet_interfaces.get_members()
    for chassis in one.chassis:
        for adapter in chassis.network_adapters.get_members():
            [port.ethernet.lldp_receive for port in adapter.ports.get_members()]


def sensors():
    one = system()
    chassis = one.chassis_expanded[0]
    chassis.thermal.fans
    chassis.power.power_supplies
    [each.drives for each in one.storage_expanded.get_members()]


operations = {
    'power sync': lambda: sync(path),
    'power sync without redfish_system_id': lambda: sync(None),
    'power on': lambda: (system().reset_system(sushy.RESET_ON), system().power_state),
    'boot device': lambda: system().set_system_boot_options(
        sushy.BOOT_SOURCE_TARGET_PXE, enabled=sushy.BOOT_SOURCE_ENABLED_ONCE),
    'boot from a CD': boot_from_cd,
    'eject the CD': eject_all,
    'read the BIOS settings': lambda: system().bios.attributes,
    'change a BIOS setting': lambda: system().bios.set_attributes(
        {'ProcVirtualization': 'Enabled'}, apply_time='OnReset'),
    'read Secure Boot': lambda: system().secure_boot.enabled,
    'inspect': inspect,
    'read the sensors': sensors,
    'read when the session is lost': lambda: system().power_state,
}

for line in sys.stdin:
    try:
        operations[line.strip()]()
        print('done', flush=True)
    except Exception as error:
        print(f'{type(error).__name__}: {error}'.replace('\n', ' '), flush=True)
