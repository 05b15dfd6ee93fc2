# Does through HPE's SDK what the daemon and a OneView user do with the servers of an appliance. Prints the results as JSON.
import json
import sys

from hpeOneView.exceptions import HPEOneViewException
from hpeOneView.oneview_client import OneViewClient

host, bundle, password = sys.argv[1:4]
seen = {}


def client(version):
    return OneViewClient(
        {
            "ip": host,
            "api_version": version,
            "ssl_certificate": bundle,
            "credentials": {"userName": "operator", "password": password},
        }
    )


oneview = client(1200)
servers = oneview.server_hardware.get_all()
seen["servers"] = [server["name"] for server in servers]
server = oneview.server_hardware.get_by_uri(servers[0]["uri"])
templates = oneview.server_profile_templates.get_all()
template = oneview.server_profile_templates.get_by_name("template good")
profile = template.get_new_profile()
seen["type"] = profile["type"]
profile["name"] = "made by the SDK"
profile["serverHardwareUri"] = server.data["uri"]
created = oneview.server_profiles.create(profile)
seen["created"] = [created.data["name"], created.data["state"]]
server.refresh()
seen["assigned"] = server.data["serverProfileUri"] == created.data["uri"]
again = dict(profile, name="a second one")
try:
    oneview.server_profiles.create(again)
    seen["second"] = "created"
except HPEOneViewException as error:
    seen["second"] = str(error)
server.update_power_state({"powerState": "On", "powerControl": "MomentaryPress"})
server.refresh()
seen["power"] = server.data["powerState"]
try:
    created.delete()
    seen["delete while on"] = "deleted"
except HPEOneViewException as error:
    seen["delete while on"] = str(error)
seen["console"] = server.get_remote_console_url()["remoteConsoleUrl"].split("&")[0].split("=")[0]
server.update_power_state({"powerState": "Off", "powerControl": "PressAndHold"})
found = oneview.server_profiles.get_by_name("made by the SDK")
changed = dict(found.data)
changed["boot"] = {"manageBoot": True, "order": ["PXE", "HardDisk", "CD", "USB"]}
found.update(changed)
seen["order"] = oneview.server_profiles.get_by_name("made by the SDK").data["boot"]["order"]
found.delete()
server.refresh()
seen["freed"] = server.data["serverProfileUri"]
oneview.connection.logout()
try:
    client(99)
    seen["old version"] = "accepted"
except HPEOneViewException as error:
    seen["old version"] = str(error)
print(json.dumps(seen))
