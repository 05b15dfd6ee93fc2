// Situations that the hardware type `redfish` was designed for, each with the tests that show what the daemon does.
import type { Shown } from './shown-tests.ts';

type Scenario = readonly [given: string, ...by: Shown[]];

/** In the order of their numbers, from 1. */
export const scenarios: readonly Scenario[] = [
  [
    'an address without a scheme, or with a path',
    ['address', 'the address is a URL, a name or an IP address; a path in it leads to the Redfish service'],
  ],
  [
    'an IPv6 address without brackets',
    ['address', 'the address is a URL, a name or an IP address; a path in it leads to the Redfish service'],
  ],
  [
    'wrong values in driver_info',
    ['address', 'wrong fields are refused with their name and the expected value'],
    ['address', 'validation refuses a wrong transport protocol without sending a request'],
  ],
  [
    'several systems and no redfish_system_id',
    ['power', 'a BMC with several systems needs redfish_system_id, and the fault lists the systems'],
  ],
  [
    'ten readings with a session',
    ['session', 'ten readings need one login in all, and then one request each'],
  ],
  [
    'no sessions, or a login without a token',
    [
      'session',
      'requests to a BMC without a session service use basic authentication, and a session is not requested again',
    ],
    ['session', 'a login that brings no token means basic authentication'],
  ],
  [
    'all sessions in use',
    [
      'session',
      'while all sessions of a BMC are in use, requests use basic authentication; a session is requested again later',
    ],
  ],
  [
    'two readers with a lost session',
    ['session', 'two readers with a session that the BMC has dropped share one login'],
  ],
  [
    'a wrong password over five power syncs',
    [
      'session',
      'five readings try a wrong password once in all; the next one tries a new password in driver_info',
    ],
  ],
  [
    'a 403 for want of a licence',
    ['management', 'Secure Boot that needs a licence reads as unknown, and causes no new login'],
    [
      'session',
      'an answer with status 403, as for a missing right or licence, does not count as a lost session',
    ],
  ],
  [
    'a changed password',
    [
      'session',
      'scenario 11: with a new password at the BMC and the node, a new session opens and the old one is deleted',
    ],
  ],
  [
    'the daemon stops',
    ['power', 'a daemon manages a Redfish machine with one session, and logs out when it stops'],
  ],
  [
    'an unknown certificate',
    [
      'client',
      'a reading fails at once for an untrusted certificate, and the message names redfish_verify_ca',
    ],
  ],
  [
    'an address that never answers',
    ['client', 'a reading that the BMC never answers fails at its time limit'],
    [
      'scale',
      'BMCs that are stopped or never answer do not delay the power sync of others, and no session stays open',
    ],
  ],
  ['a connection cut on reuse', ['client', 'a connection that is cut is replaced, and the reading repeated']],
  [
    'the answer to a reset is lost',
    ['power', 'a reset whose answer is lost is not sent again: the power state decides'],
  ],
  [
    '503 with Retry-After',
    ['client', 'a BMC that answers 503 with Retry-After is asked again after that time'],
  ],
  ['503 with a page of HTML', ['client', 'an HTML page is not shown as the reason of a refusal']],
  [
    'passwords in logs and faults',
    ['client', 'neither the fault nor the log of a failed reading contains the password'],
  ],
  [
    'a machine that is on already is powered on',
    ['power', 'a power change succeeds when the machine already is in the wanted state'],
  ],
  ['three conflicts at a power-on', ['power', 'a power-on that the BMC refuses for a conflict is repeated']],
  ['a soft reboot without GracefulRestart', ['power', 'a soft reboot is a shutdown and a power-on']],
  [
    'an unknown power state',
    ['power', 'PoweringOn is read as on and PoweringOff as off; any other state is unknown'],
  ],
  [
    'a BMC without persistent boot devices',
    [
      'management',
      'a persistent boot device is set again before each power-on where the BMC takes devices for one boot only',
    ],
  ],
  ['Boot in the settings', ['management', 'boot settings in a resource of their own are changed there']],
  [
    'a boot device of AMI',
    ['management', 'AMI gets target, enabled and mode together, in a resource that the system does not link'],
  ],
  [
    'a CD of Supermicro',
    ['management', 'Supermicro boots virtual media as UsbCd and gets the boot mode each time'],
  ],
  [
    'a refusal during the power-on self test',
    ['management', 'a change during the power-on self test waits for its end and leaves the power alone'],
  ],
  ['a stale ETag', ['client', 'a PATCH with a stale ETag is repeated after one new reading']],
  [
    'a deployment where the boot mode is unknown',
    [
      'rack',
      'scenario 30: a machine whose BMC neither shows nor takes a boot mode is deployed in the mode that it is in, with a warning',
    ],
  ],
  [
    'Secure Boot takes effect at a boot',
    [
      'management',
      'Secure Boot takes effect after a reboot that leaves the machine off as before, and needs boot mode uefi',
    ],
  ],
  [
    'UEFI HTTP boot without HttpBootUri',
    ['boot', 'a BMC that takes no URL to boot from is refused before the power changes'],
  ],
  [
    'slots at the system or at the BMC',
    ['media', 'an image is inserted, listed and ejected, on every simulated BMC'],
  ],
  [
    'slots that refuse',
    [
      'media',
      'when a slot refuses the image, the next one is tried; when all refuse it, the fault names the reason of each',
    ],
  ],
  ['an old image in the slot', ['media', 'an image that is there already is ejected first']],
  [
    'TransferProtocolType at the second image',
    ['media', 'a property that a BMC demands is added, and sent at once the next time'],
  ],
  ['images by PATCH', ['media', 'an image is inserted, listed and ejected, on every simulated BMC']],
  ['success without an image', ['media', 'an image that was accepted and never appears is a failure']],
  [
    'clean-up after a deployment',
    [
      'boot',
      'after a ramdisk, the machine is powered off before the drive is emptied, and the CD is no longer served',
    ],
  ],
  ['BIOS settings that are there already', ['bios', 'settings that the machine already has need no reboot']],
  ['wrong BIOS settings', ['bios', 'wrong settings are all named before anything is sent']],
  [
    'a restart of the daemon while BIOS settings are pending',
    [
      'bios',
      'after a restart during the step, the daemon continues from driver_internal_info and sends nothing twice',
    ],
  ],
  [
    'a BIOS setting that stays pending',
    ['bios', 'a setting that stays pending fails the step, which names it'],
  ],
  [
    'two volumes of a controller that changes them at a boot',
    ['raid', 'a controller that changes volumes only at a boot creates one volume per boot'],
  ],
  [
    'a vanished update that left the old version',
    ['firmware', 'a task that vanished and left the old version is a failure, not a success'],
  ],
  [
    'a BMC that does not answer for four minutes while it is updated',
    [
      'firmware',
      'while a BMC does not answer during its update, the power state is unknown, and the next component waits',
    ],
  ],
  [
    'an update that ends as Critical',
    ['firmware', 'a task that ended badly fails the step with its messages'],
  ],
  [
    'inspection of a machine whose network cards hide their MAC addresses',
    ['inspect', 'MAC addresses that the network cards hide are taken from the adapters, with a warning'],
    ['inspect', 'a daemon inspects a machine without booting it, and makes its ports'],
  ],
  [
    'an event service that refuses EventTypes',
    ['events', 'scenario 49: a service that refuses event types is asked for the events of its registries'],
  ],
  [
    'twenty readings of one BMC at the same time',
    ['seen', 'scenario 50: twenty readings at the same time share one session and need one request each'],
  ],
];
