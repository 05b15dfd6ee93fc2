# One session of openstacksdk with the API at OS_ENDPOINT: enrols a node, makes it manageable and finds it again. What
# it saw comes out as one JSON object.
import json
import os
import sys

import openstack

connection = openstack.connection.Connection(
    auth_type="none", endpoint=os.environ["OS_ENDPOINT"], baremetal_api_version=sys.argv[1]
)
baremetal = connection.baremetal
created = baremetal.create_node(
    driver="fake-hardware", name="sdk-node", extra={"rack": "r1"}, provision_state="enroll"
)
states = [created.provision_state]
for verb in ("manage", "provide"):
    states.append(baremetal.set_node_provision_state(created, verb, wait=True, timeout=30).provision_state)
baremetal.set_node_power_state(created, "power on", wait=True, timeout=30)
port = baremetal.create_port(address="52:54:00:5d:4b:01", node_id=created.id)
patched = baremetal.patch_node(created, [{"op": "add", "path": "/extra/row", "value": 7}])
found = {
    "names": [node.name for node in baremetal.nodes()],
    "details": [node.driver for node in baremetal.nodes(details=True)],
    "ports": [each.address for each in baremetal.ports(node=created.id)],
    "states": states,
    "extra": patched.extra,
    "power": baremetal.get_node("sdk-node").power_state,
    "valid": all(each.result for each in baremetal.validate_node(created, required=("power",)).values()),
    "missing": baremetal.find_node("nobody"),
}
baremetal.delete_port(port)
baremetal.delete_node(created)
found["left"] = [node.name for node in baremetal.nodes()]
print(json.dumps(found))
