"""A collector of ironic-python-agent: gives the machine's BMC an account for the daemon, and adds its login to the report.

init switches it on when the kernel parameter ironic-edge-bmc-account names the account. A report is sent without a login and may
be read by others, so the login is sealed with ironic-edge-site-key: only the daemon can open it. The password is given to the BMC
through /dev/ipmi0, and is never an argument of a program or part of a log.
"""

import base64
import ctypes
import fcntl
import json
import os
import secrets
import select
import string
import subprocess
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

DEVICE = '/dev/ipmi0'
# the agent starts again while the machine waits; the account keeps its password until the machine boots again
KEPT = '/run/ironic-edge-bmc-login'


class Refused(Exception):
    """A sentence for the operator, without any secret."""


def collect(data, failures):
    """Called by the agent after its other collectors. `failures` stays as it is: the daemon would end the inspection."""
    try:
        parameters = kernel_parameters(read('/proc/cmdline'))
        machine = described(data['inventory'])
        with open_bmc() as bmc:
            login = make_account(bmc, parameters['ironic-edge-bmc-account'], KEPT)
        data['bmc_login'] = seal({**login, **machine, 'time': int(time.time())}, parameters['ironic-edge-site-key'])
    except Refused as refusal:
        data['bmc_login_failure'] = str(refusal)
    except Exception as error:
        # the text of an unexpected error could hold the password
        data['bmc_login_failure'] = 'ironic_edge_login.py failed with %s' % type(error).__name__


def kernel_parameters(line):
    return dict(word.split('=', 1) for word in line.split() if '=' in word)


def read(path):
    with open(path) as file:
        return file.read()


# --- the machine, as the report describes it ---


def described(inventory):
    """The inventory holds objects of the agent, which the agent encodes later."""
    interfaces = member(inventory, 'interfaces') or []
    addresses = [member(inventory, 'bmc_address'), member(inventory, 'bmc_v6address')]
    used = [each for each in addresses if each and each not in ('0.0.0.0', '::', '::/0')]
    if not used:
        raise Refused('the BMC has no address on its network: connect its port, and let it get an address')
    return {
        'bmc_addresses': used,
        'macs': [mac for mac in (member(each, 'mac_address') for each in interfaces) if mac],
        'serial_number': member(member(inventory, 'system_vendor'), 'serial_number'),
        'system_uuid': system_uuid(),
    }


def member(thing, name):
    return thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)


def system_uuid():
    try:
        return read('/sys/class/dmi/id/product_uuid').strip().lower()
    except OSError:
        return None


# --- the account ---

APPLICATION = 0x06
CHANNEL_INFO, USER_ACCESS, SET_USER_ACCESS = (0x42, 'Get Channel Info'), (0x44, 'Get User Access'), (0x43, 'Set User Access')
USER_NAME, SET_USER_NAME = (0x46, 'Get User Name'), (0x45, 'Set User Name')
PASSWORD, SET_PAYLOAD_ACCESS = (0x47, 'Set User Password'), (0x4C, 'Set User Payload Access')
ENABLE, SET, TEST = 1, 2, 3
LAN, ADMINISTRATOR = 4, 4
LINK_AUTHENTICATION, IPMI_MESSAGING, CHANGE_BITS = 0x20, 0x10, 0x80
SERIAL_OVER_LAN = 0x02
SIZE = 16
EMPTY_NAMES = ('', '(Empty User)')


def make_account(bmc, name, kept):
    """Gives the BMC an administrator of this name. `kept`: the file that holds the password until the machine boots again."""
    channels = lan_channels(bmc)
    slot, has_name = slot_for(bmc, channels[0], name)
    password = password_in(kept)
    if password is None or not takes(bmc, slot, password):
        password = new_password(name)
        if not has_name:
            bmc.ask(SET_USER_NAME, slot, *name.encode().ljust(SIZE, b'\0'))
        bmc.ask(PASSWORD, slot, SET, *password.encode())
    for channel in channels:
        access = CHANGE_BITS | LINK_AUTHENTICATION | IPMI_MESSAGING | channel
        bmc.ask(SET_USER_ACCESS, access, slot, ADMINISTRATOR)
    bmc.ask(PASSWORD, slot, ENABLE, *bytes(SIZE))
    for channel in channels:
        bmc.try_to_ask(SET_PAYLOAD_ACCESS, channel, slot, SERIAL_OVER_LAN, 0, 0, 0)
    if not takes(bmc, slot, password):
        raise Refused('the BMC does not take the password that it was given for user %s in slot %d' % (name, slot))
    keep(password, kept)
    return {'username': name, 'password': password}


def lan_channels(bmc):
    """Channel 1 in most machines, 8 in some."""
    answers = [(channel, bmc.try_to_ask(CHANNEL_INFO, channel)) for channel in range(1, 12)]
    found = [channel for channel, answer in answers if answer and answer[1] & 0x7F == LAN]
    if not found:
        raise Refused('the BMC has no LAN channel')
    return found


def slot_for(bmc, channel, name):
    """The slot that has this name, else the first one without a name, and whether it has it. Slot 1 is that of a user without one."""
    counts = bmc.ask(USER_ACCESS, channel, 1)
    last, fixed = counts[0] & 0x3F, counts[2] & 0x3F
    free = None
    for slot in range(2, last + 1):
        # some BMCs answer with an error where a slot has no name
        text = (bmc.try_to_ask(USER_NAME, slot) or b'').rstrip(b'\0 \xff').decode('latin-1')
        if text == name:
            return slot, True
        if free is None and slot > fixed and text in EMPTY_NAMES:
            free = slot
    if free is None:
        raise Refused('all %d user slots of the BMC have a name: remove a user, or give the daemon the login' % last)
    return free, False


def takes(bmc, slot, password):
    return bmc.try_to_ask(PASSWORD, slot, TEST, *password.encode()) is not None


def new_password(name):
    """16 characters that the BMCs of all vendors take; the daemon's own passwords have the same shape."""
    letters = string.ascii_letters + string.digits
    while True:
        characters = [secrets.choice(letters) for _ in range(SIZE)]
        characters[1 + secrets.randbelow(SIZE - 2)] = secrets.choice('-_.')
        has_all = all(set(kind) & set(characters) for kind in (string.ascii_uppercase, string.ascii_lowercase, string.digits))
        repeats = any(one == next_one for one, next_one in zip(characters, characters[1:]))
        password = ''.join(characters)
        if has_all and not repeats and name.lower() not in password.lower():
            return password


def password_in(kept):
    try:
        return read(kept)
    except OSError:
        return None


def keep(password, kept):
    with open(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w') as file:
        file.write(password)


# --- the seal; daemon/conductor/ramdisk/in-band-account.ts opens it ---


def seal(login, site_key):
    """X25519 with a key for this one text, HKDF-SHA256, ChaCha20-Poly1305. The key is used once, so the nonce may be zero."""
    site = base64.urlsafe_b64decode(site_key + '=' * (-len(site_key) % 4))
    own = X25519PrivateKey.generate()
    public = own.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    shared = own.exchange(X25519PublicKey.from_public_bytes(site))
    key = HKDF(hashes.SHA256(), 32, salt=public + site, info=b'ironic-edge bmc login').derive(shared)
    sealed = ChaCha20Poly1305(key).encrypt(bytes(12), json.dumps(login).encode(), None)
    return base64.b64encode(public + sealed).decode()


# --- /dev/ipmi0, as linux/ipmi.h describes it ---


class Address(ctypes.Structure):
    _fields_ = [('type', ctypes.c_int), ('channel', ctypes.c_short), ('lun', ctypes.c_ubyte)]


class Message(ctypes.Structure):
    _fields_ = [('netfn', ctypes.c_ubyte), ('command', ctypes.c_ubyte), ('length', ctypes.c_ushort), ('data', ctypes.c_void_p)]


class Request(ctypes.Structure):
    _fields_ = [('address', ctypes.c_void_p), ('size', ctypes.c_uint), ('number', ctypes.c_long), ('message', Message)]


class Received(ctypes.Structure):
    _fields_ = [('kind', ctypes.c_int), *Request._fields_]


def ioctl_number(direction, number, structure):
    return direction << 30 | ctypes.sizeof(structure) << 16 | ord('i') << 8 | number


SEND = ioctl_number(2, 13, Request)
RECEIVE_TRUNCATED = ioctl_number(3, 11, Received)
SYSTEM_INTERFACE, BMC_CHANNEL, RESPONSE = 0x0C, 0x0F, 1
ANSWER_SECONDS, DEVICE_SECONDS, ATTEMPTS = 20, 15, 5
BUSY = (0xC0, 0xC3)
REASONS = {0xC1: 'it does not know the command', 0xD4: 'it does not allow the command from the machine itself'}


def open_bmc():
    for module in ('ipmi_si', 'ipmi_ssif', 'ipmi_devintf'):
        subprocess.run(['modprobe', '-q', module], check=False)
    deadline = time.monotonic() + DEVICE_SECONDS
    while not os.path.exists(DEVICE):
        if time.monotonic() > deadline:
            raise Refused('the machine has no BMC that its operating system reaches: there is no %s' % DEVICE)
        time.sleep(0.2)
    return Bmc(os.open(DEVICE, os.O_RDWR))


class Bmc:
    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.number = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.descriptor)

    def ask(self, command, *data):
        """Returns the data of the answer. Raises Refused when the BMC refuses the command."""
        name = command[1]
        code, answer = self.exchange_patiently(*command, bytes(data))
        if code != 0:
            reason = REASONS.get(code, 'see the IPMI specification')
            raise Refused('the BMC refused "%s" with completion code 0x%02x: %s' % (name, code, reason))
        return answer

    def try_to_ask(self, command, *data):
        """Like `ask`, but returns None when the BMC refuses the command."""
        code, answer = self.exchange_patiently(*command, bytes(data))
        return answer if code == 0 else None

    def exchange_patiently(self, command, name, data):
        """A BMC that is busy is asked again."""
        for _ in range(ATTEMPTS):
            code, answer = self.exchange(command, name, data)
            if code not in BUSY:
                break
            time.sleep(1)
        return code, answer

    def exchange(self, command, name, data):
        self.number += 1
        address = Address(SYSTEM_INTERFACE, BMC_CHANNEL, 0)
        content = ctypes.create_string_buffer(data, len(data))
        message = Message(APPLICATION, command, len(data), ctypes.addressof(content))
        request = Request(ctypes.addressof(address), ctypes.sizeof(address), self.number, message)
        fcntl.ioctl(self.descriptor, SEND, request)
        deadline = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < deadline:
            select.select([self.descriptor], [], [], 1)
            answer = self.receive()
            if answer is not None:
                return answer[0], answer[1:]
        raise Refused('the BMC does not answer "%s" within %d seconds' % (name, ANSWER_SECONDS))

    def receive(self):
        """The answer to the last request; None if there is none yet."""
        address, content = ctypes.create_string_buffer(40), ctypes.create_string_buffer(272)
        message = Message(0, 0, len(content), ctypes.addressof(content))
        received = Received(0, ctypes.addressof(address), len(address), 0, message)
        try:
            fcntl.ioctl(self.descriptor, RECEIVE_TRUNCATED, received)
        except BlockingIOError:
            return None
        is_answer = received.kind == RESPONSE and received.number == self.number
        return content.raw[: received.message.length] if is_answer else None
