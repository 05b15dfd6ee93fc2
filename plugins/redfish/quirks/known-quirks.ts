// Known quirks of BMCs. If several quirks of a BMC set the same remedy, the first one counts.
import type { Quirk } from './quirks.ts';

export const knownQuirks: readonly Quirk[] = [
  {
    when: { recorded: ['redfish_compatible'] },
    reason: 'an operator has recorded that this BMC wants target, enabled and mode together',
    set: { bootFull: true },
  },
  {
    when: { oem: ['Ami'] },
    reason:
      'AMI accepts boot changes at Systems/Self/SD, which not every system links; it takes target, enabled and mode only together',
    set: { bootSettings: 'SD', bootFull: true, biosSettings: 'SD' },
  },
  {
    when: { manufacturer: ['American Megatrends', 'AsrockRack', 'ASRock'] },
    reason: 'BMCs made by AMI accept target, enabled and mode of the boot only together',
    set: { bootSettings: 'SD', bootFull: true, biosSettings: 'SD' },
  },
  {
    when: { manufacturer: ['Gigabyte', 'Giga Computing'] },
    reason: 'its BIOS does not link the resource that takes changes',
    set: { biosSettings: 'SD' },
  },
  {
    when: { manufacturer: ['Supermicro'] },
    reason:
      'it wants Enabled with every change, forgets the boot mode, boots virtual media as UsbCd, and on models before the X12 it mounts images by an ISO configuration of its own',
    set: { bootEnabled: 'always', bootModeAgain: true, bootCd: 'auto', isoConfiguration: true },
  },
  {
    when: { vendor: ['Dell'], managerModel: ['17G', '18G'] },
    reason: 'the boot device Cd reaches only slot 1 of the virtual media',
    set: { mediaSlots: ['1'] },
  },
  {
    when: { vendor: ['Dell'], firmware: ['4.40.00.', '4.40.10.', '4.40.20.', '4.40.29.'] },
    reason: 'it attaches no virtual media while the plug-in type of its console is eHTML5',
    set: {
      mediaHint:
        'iDRAC firmware 4.40.00 to 4.40.29 attaches no virtual media while the plug-in type of its virtual console is eHTML5. Set it to HTML5, or update to 4.40.40',
    },
  },
  {
    when: { vendor: ['Dell'], managerModel: ['14G', '15G', '16G'], firmwareBelow: '6.0.0.0' },
    reason: 'the boot device Cd does not reach virtual media',
    set: {
      mediaHint:
        'iDRAC firmware before 6.00 boots virtual media only through the hardware type idrac. Update it, or set driver to idrac',
    },
  },
  {
    when: { vendor: ['Dell'] },
    reason: 'a server does not see virtual media unless their Attach Mode is AutoAttach',
    set: { mediaHint: 'the attribute VirtualMedia.1.Attached of the iDRAC must be AutoAttach' },
  },
  {
    when: { vendor: ['Lenovo'] },
    reason: 'firmware of the XCC before 2.50 shows no virtual media',
    set: { mediaHint: 'a Lenovo XCC with firmware before 2.50 shows no virtual media: update such firmware' },
  },
  {
    when: { vendor: ['HPE', 'Hewlett'] },
    reason: 'a power-on takes up to a minute',
    set: { powerSeconds: 120 },
  },
  {
    when: { manufacturer: ['Cray', 'HPE'] },
    reason: 'a power-on takes up to a minute',
    set: { powerSeconds: 120 },
  },
  {
    when: { manufacturer: ['NVIDIA'] },
    reason: 'it inserts an image only with a user name and a password',
    set: { insertNeeds: ['UserName', 'Password'] },
  },
  {
    when: { vendor: ['AMI'], product: ['MegaRAC'] },
    reason: 'it answers 400 to $expand',
    set: { expand: false },
  },
  {
    when: { vendor: ['Dell'] },
    reason: 'its SKU is the service tag; accounts 1 and 2 are for itself and for root',
    set: { serialNumbersIn: ['SKU'], reservedAccounts: ['1', '2'] },
  },
  {
    when: { manufacturer: ['Dell'] },
    reason: 'its SKU is the service tag',
    set: { serialNumbersIn: ['SKU'] },
  },
  {
    when: { oem: ['Hpe', 'Hp'] },
    reason: 'a new account has privileges and a login name of its own',
    set: {
      accountPrivileges: [
        'LoginPriv',
        'RemoteConsolePriv',
        'UserConfigPriv',
        'VirtualMediaPriv',
        'VirtualPowerAndResetPriv',
        'iLOConfigPriv',
      ],
    },
  },
  {
    when: { oem: ['Ami'] },
    reason: 'a new account can use IPMI only if that is asked for',
    set: { accountTypes: ['Redfish', 'IPMI', 'WebUI'] },
  },
];
