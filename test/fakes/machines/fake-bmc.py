"""Runs the ramdisk's collector with an imaginary BMC. Reads what the BMC is like as JSON, and writes the report and the users.

usage: fake-bmc.py FOLDER    the folder of ironic_edge_login.py
"""

import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import ironic_edge_login as login  # noqa: E402

given = json.load(sys.stdin)
users = {int(slot): {'name': name} for slot, name in given['users'].items()}
for slot, password in given['passwords'].items():
    users[int(slot)]['password'] = password


class FakeBmc(login.Bmc):
    def __exit__(self, *_):
        pass

    def exchange(self, command, name, data):
        if name in given['busy']:
            given['busy'].remove(name)
            return 0xC0, b''
        if name in given['refused']:
            return given['refused'][name], b''
        return self.answer(command, data)

    def answer(self, command, data):
        slot = data[0] & 0x3F
        user = users.setdefault(slot if command in (0x45, 0x46, 0x47) else data[1] & 0x3F if len(data) > 1 else 0, {'name': ''})
        if command == 0x42:
            medium = given['channels'].get(str(data[0]))
            return (0xCC, b'') if medium is None else (0, bytes([data[0], medium, 1, 0, 0, 0, 0, 0, 0]))
        if command == 0x44:
            return 0, bytes([given['slots'], 2, 1, 0x14])
        if command == 0x46:
            return (0, user['name'].encode().ljust(16, b'\0')) if user['name'] else (given['nameless'], bytes(16))
        if command == 0x45:
            if user['name'] == data[1:].rstrip(b'\0').decode():
                return 0xCC, b''
            user['name'] = data[1:].rstrip(b'\0').decode()
        elif command == 0x43:
            user.setdefault('access', []).append([data[0], data[2]])
        elif command == 0x4C:
            user.setdefault('payloads', []).append(data[0])
        elif data[1] == login.SET:
            user['password'] = data[2:].decode()
        elif data[1] == login.ENABLE:
            user['enabled'] = True
        elif data[1] == login.TEST and (given['forgets'] or user.get('password') != data[2:].decode()):
            return 0x80, b''
        return 0, b''


login.KEPT = given['kept']
login.open_bmc = lambda: FakeBmc(None)
own_read = login.read
login.read = lambda path: given['command_line'] if path == '/proc/cmdline' else own_read(path)
report = {'inventory': given['inventory']}
login.collect(report, None)
print(json.dumps({'report': report, 'users': {slot: user for slot, user in users.items() if user['name']}}))
