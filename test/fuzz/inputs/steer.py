"""Steers the values that schemathesis generates: few identifiers, so that they name records, and mostly the newest version."""

import random
import zlib

import schemathesis

IDENTIFIERS = [f"00000000-0000-4000-8000-00000000000{digit}" for digit in range(3)]
DRIVERS = ["fake-hardware", "able-hardware", "manual-management"]
VERSION = "X-OpenStack-Ironic-API-Version"
# the API refuses every value that schemathesis generates for these fields
HARD_TO_GUESS = ("conductor_group", "network_data", "name", "local_link_connection")


@schemathesis.hook
def before_call(context, case, kwargs):
    seen = repr((case.method, case.path, case.path_parameters, case.query, case.headers, case.body))
    chance = random.Random(zlib.crc32(seen.encode("utf-8", "surrogatepass")))
    if chance.random() < 0.8:
        case.headers.pop("OpenStack-API-Version", None)
        case.headers[VERSION] = "1.115"
    steer_path(case, chance)
    if case.method == "POST" and isinstance(case.body, dict) and chance.random() < 0.9:
        steer_body(case.path, case.body, chance)


def steer_path(case, chance):
    for name in case.path_parameters or {}:
        if name == "driver":
            case.path_parameters[name] = chance.choice(DRIVERS)
        elif name in ("node", "id", "chassis", "portgroup", "runbook") and chance.random() < 0.9:
            case.path_parameters[name] = chance.choice(IDENTIFIERS)


def steer_body(path, body, chance):
    for key in list(body):
        if key.endswith("_interface") or key in HARD_TO_GUESS:
            del body[key]
        elif key.endswith("_uuid") and body[key] is not None:
            body[key] = chance.choice(IDENTIFIERS)
    if path in ("/v1/events", "/v1/continue_inspection") or path.count("/") > 3:
        return
    body["uuid"] = chance.choice(IDENTIFIERS)
    if path == "/v1/nodes":
        body["driver"] = chance.choice(DRIVERS)
    if path in ("/v1/ports", "/v1/portgroups"):
        body["address"] = f"52:54:00:00:00:{chance.randrange(100):02d}"
    if path in ("/v1/deploy_templates", "/v1/runbooks"):
        body["name"] = f"CUSTOM_{chance.randrange(3)}"
