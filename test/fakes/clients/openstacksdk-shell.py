# Makes calls of openstacksdk's baremetal proxy in one process: reads call, args and kwargs of each as a line of JSON, and
# answers with a line of JSON with result or error. A positional argument {"is": CALL} stands for what CALL returns.
import inspect
import json
import os
import sys
import time

import openstack
import requests

sleep = time.sleep
time.sleep = lambda seconds: sleep(min(seconds, 0.05))
baremetal = openstack.connection.Connection(auth_type="none", endpoint=os.environ["OS_ENDPOINT"]).baremetal


def argument(given):
    return make(given["is"]) if isinstance(given, dict) and "is" in given else given


def make(call):
    args = [argument(each) for each in call.get("args", [])]
    return getattr(baremetal, call["call"])(*args, **call.get("kwargs", {}))


def plain(value):
    if inspect.isgenerator(value):
        return [plain(each) for each in value]
    if isinstance(value, openstack.resource.Resource):
        return value.to_dict()
    if isinstance(value, requests.Response):
        return value.json() if value.content else None
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return vars(value) if hasattr(value, "__dict__") else value


def answer(call):
    try:
        return {"result": plain(make(call))}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
