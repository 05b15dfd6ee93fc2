// Quirks of BMCs in the field, each with the tests that show what the daemon does about it.
import type { Shown } from './shown-tests.ts';

/** Which BMC does what, and the tests. */
type Quirk = readonly [who: string, seen: string, ...by: Shown[]];

/** In the order of their numbers, from 1. */
export const quirks: readonly Quirk[] = [
  [
    'many BMCs',
    'cut a kept connection between two requests',
    ['client', 'a connection that is cut is replaced, and the reading repeated'],
  ],
  [
    'AMI firmware (Lenovo SR655, Gigabyte, Nokia)',
    'refuses a change without If-Match (428)',
    ['client', 'a change needs one request, whether the BMC sends an ETag, sends none or demands one'],
  ],
  [
    'Gigabyte, Nokia, Lenovo XCC',
    'refuses the ETag that it has sent itself (412)',
    ['client', 'a BMC that refuses the ETag it has sent gets none, and the daemon remembers to send none'],
  ],
  [
    'Dell',
    'has no free session (RAC0218)',
    [
      'session',
      'while all sessions of a BMC are in use, requests use basic authentication; a session is requested again later',
    ],
  ],
  [
    'Supermicro without a licence',
    'answers 403 to Secure Boot',
    ['management', 'Secure Boot that needs a licence reads as unknown, and causes no new login'],
  ],
  [
    'Dell after a job',
    'has no data for a while (SYS518)',
    ['client', 'a BMC that is busy after a job or a power change is asked again until it is ready'],
  ],
  [
    'Dell after a restart',
    'is not ready (SWC0700)',
    ['client', 'a BMC that is busy after a job or a power change is asked again until it is ready'],
  ],
  [
    'HPE after a power change',
    'refuses requests for a moment (InvalidOperationForSystemState)',
    ['client', 'a BMC that is busy after a job or a power change is asked again until it is ready'],
  ],
  [
    'HPE',
    'refuses changes of the boot during the power-on self test',
    ['management', 'a change during the power-on self test waits for its end and leaves the power alone'],
  ],
  [
    'HPE',
    'refuses Enabled while the target is None',
    [
      'seen',
      'quirk 10: an HPE whose boot device is cleared takes a new one, because target and enabled are sent together',
    ],
  ],
  ['HPE iLO 5', 'has no boot mode', ['management', 'the boot mode is set and read, where the BMC has one']],
  [
    'HPE; Dell 2.75',
    'refuses an action without a body',
    ['media', 'an image is inserted, listed and ejected, on every simulated BMC'],
    [
      'bios',
      'a factory reset sends the body that a BMC demands, and is refused if the BMC does not manage the BIOS',
    ],
  ],
  ['HPE iLO 6', 'forgets a task as soon as it has ended', ['firmware', 'a BIOS is updated by one reboot']],
  [
    'Dell before 6.00',
    'does not boot virtual media by the boot device Cd',
    [
      'idrac',
      'old firmware boots virtual media through a setting of the iDRAC, newer firmware does not need it',
    ],
  ],
  [
    'Dell iDRAC10',
    'takes boot changes in its settings, and boots slot 1 only',
    ['management', 'boot settings in a resource of their own are changed there'],
    ['media', 'a CD goes into slot 1 of an iDRAC10'],
  ],
  [
    'Dell iDRAC10',
    'refuses a power-on for a minute after a power-off',
    ['power', 'a power-on that the BMC refuses for a conflict is repeated'],
  ],
  ['Dell before 4.00', 'has no graceful restart', ['power', 'a soft reboot is a shutdown and a power-on']],
  [
    'Dell',
    'shows a boot device for one boot as UefiTarget',
    ['seen', 'quirk 18: boot device UefiTarget of a Dell reads as unknown and is replaced by one request'],
  ],
  [
    'Dell',
    'still has media that were ejected',
    ['media', 'inserting an image is tried again while the previous media are still being ejected'],
    ['media', 'an image that is there already is ejected first'],
  ],
  [
    'Dell 4.40.00 to 4.40.29',
    'attaches no media while its console is eHTML5',
    ['seen', 'quirks 20 and 21: when an iDRAC refuses virtual media, the fault says what to change'],
  ],
  [
    'Dell',
    'hides media from the machine unless AutoAttach is set',
    ['seen', 'quirks 20 and 21: when an iDRAC refuses virtual media, the fault says what to change'],
  ],
  [
    'Dell',
    'needs an image server that answers HEAD and range requests',
    ['http', 'HEAD is answered as a GET of the whole file, without the body, and makes no event'],
    ['http', 'a range is answered 206 with that part, one beyond the end 416'],
  ],
  [
    'Dell',
    'forgets a task before it was read',
    ['firmware', 'a task that vanished and left the old version is a failure, not a success'],
  ],
  [
    'Dell',
    'answers 202 for a task that has ended, and shows a task as New before it begins',
    [
      'seen',
      'quirk 24: the state of a task counts, not the status of the answer; a task in state New has not begun',
    ],
  ],
  [
    'Dell since 6.00.02',
    'refuses the apply time of a deletion',
    [
      'raid',
      'quirk 25: when a Dell refuses a deletion that has an apply time, the deletion is sent again without one',
    ],
  ],
  [
    'Dell',
    'sends one message where a list belongs',
    ['seen', 'quirk 26: one object in place of a list of messages is read'],
  ],
  [
    'Dell iDRAC10',
    'hides MAC addresses of network cards',
    ['management', 'MAC addresses come from the network cards, or else from the ports of their adapters'],
    ['inspect', 'MAC addresses that the network cards hide are taken from the adapters, with a warning'],
  ],
  [
    'Supermicro X11, X12',
    'inserts an image by its URL alone',
    ['media', 'an image is inserted, listed and ejected, on every simulated BMC'],
  ],
  [
    'Supermicro',
    'keeps the name of an image after ejecting it',
    ['seen', 'quirk 29: a slot of a Supermicro that still names an ejected image counts as empty'],
  ],
  [
    'Supermicro before X12',
    'mounts images by a configuration of its own',
    ['seen', 'quirk 30: an old Supermicro mounts, replaces and ejects images through its ISO configuration'],
    [
      'seen',
      'quirk 30: an insertion fails when the ISO configuration of a Supermicro accepts the image and mounts nothing',
    ],
  ],
  [
    'Supermicro',
    'boots media as UsbCd, not as Cd',
    ['management', 'Supermicro boots virtual media as UsbCd and gets the boot mode each time'],
  ],
  [
    'Supermicro',
    'falls back to Legacy when the boot mode is not sent',
    ['management', 'Supermicro boots virtual media as UsbCd and gets the boot mode each time'],
  ],
  [
    'Supermicro',
    'wants Enabled with each boot device',
    ['management', 'the boot device is set and read back, on every simulated BMC'],
  ],
  [
    'Supermicro',
    'goes on to other boot devices when the CD does not boot',
    [
      'lookup',
      'quirk 34: an agent that did not boot from the CD of its node has no token, and its heartbeat is refused',
    ],
  ],
  [
    'Lenovo SD530 and others',
    'inserts images by PATCH',
    ['media', 'an image is inserted, listed and ejected, on every simulated BMC'],
  ],
  [
    'Lenovo XCC before 2.50',
    'shows no virtual media',
    ['seen', 'quirk 36: for a Lenovo that shows no virtual media, the fault says to update old firmware'],
  ],
  [
    'Lenovo SE450',
    'has settings without Boot',
    [
      'seen',
      'quirk 37: when the settings of the system have no Boot, the boot device is set at the system itself',
    ],
  ],
  [
    'Lenovo XCC',
    'shows no network cards, but ports of adapters',
    ['management', 'MAC addresses come from the network cards, or else from the ports of their adapters'],
  ],
  [
    'AMI, ASRock',
    'takes boot changes in a resource that it does not link',
    ['management', 'AMI gets target, enabled and mode together, in a resource that the system does not link'],
  ],
  [
    'AMI, ASRock',
    'takes target, enabled and mode only together',
    ['management', 'AMI gets target, enabled and mode together, in a resource that the system does not link'],
  ],
  [
    'Nokia, Cisco C845A, AMI',
    'wants TransferProtocolType',
    ['media', 'a property that a BMC demands is added, and sent at once the next time'],
  ],
  [
    'NVIDIA DGX',
    'wants a user name and a password for an image',
    ['seen', 'quirk 42: the first insertion into an NVIDIA DGX already has a user name and a password'],
  ],
  [
    'NVIDIA DGX H100',
    'needs minutes for the FirmwareInventory',
    [
      'seen',
      'quirk 43: power, sensors, inspection, verification and component versions need no FirmwareInventory',
    ],
  ],
  [
    'Cisco UCS X and B',
    'has slots that refuse images',
    [
      'media',
      'when a slot refuses the image, the next one is tried; when all refuse it, the fault names the reason of each',
    ],
  ],
  [
    'Cisco C845A, OpenBMC',
    'has slots that lack the action InsertMedia or answer it with 405',
    [
      'media',
      'when a slot refuses the image, the next one is tried; when all refuse it, the fault names the reason of each',
    ],
    ['media', 'an image is inserted, listed and ejected, on every simulated BMC'],
  ],
  [
    'Huawei 1288H',
    'links its BMC in Managers only',
    ['seen', 'quirk 46: a BMC is found when the system links it only in Managers'],
  ],
  [
    'OpenBMC',
    'lists its resets in ActionInfo only',
    [
      'power',
      'ForceOn is sent in place of On where the BMC offers only that, wherever it lists its reset types',
    ],
  ],
  [
    'OpenBMC',
    'lacks resets and media that others have',
    ['seen', 'quirk 48: an OpenBMC is rebooted with resets that it offers, and a fault tells what it lacks'],
  ],
  [
    'OpenBMC',
    'takes firmware as an upload only',
    ['firmware', 'quirk 49: a BMC that takes no URLs gets the image as an upload, raw or in a form'],
  ],
  [
    'Gigabyte',
    'has a BIOS that does not link its settings',
    ['bios', 'a BIOS without a link to its settings is changed at the resource that redfish_quirks names'],
  ],
  [
    'Cray and others',
    'needs up to a minute to power on',
    ['power', 'a machine that is known to be slow gets more time than the caller gives'],
  ],
  [
    'any',
    'has a wrong clock',
    ['seen', 'quirk 52: verification notes a BMC clock that is wrong enough to break TLS'],
  ],
];
