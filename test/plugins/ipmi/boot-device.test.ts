import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { bootDeviceCommand, parseBootDevice } from '../../../plugins/ipmi/boot-device.ts';

const bootParameter = (
  selector: string,
  options = 'Options apply to only next boot',
) => `Boot parameter version: 1
Boot parameter 5 is valid/unlocked
Boot parameter data: 0004000000
 Boot Flags :
   - Boot Flag Invalid
   - ${options}
   - BIOS PC Compatible (legacy) boot 
   - Boot Device Selector : ${selector}
   - BIOS verbosity : System Default
`;

for (const [selector, device] of [
  ['Force PXE', 'pxe'],
  ['Force Boot from default Hard-Drive', 'disk'],
  ['Force Boot from default Hard-Drive, request Safe-Mode', 'safe'],
  ['Force Boot into BIOS Setup', 'bios'],
  ['Force Boot from CD/DVD', 'cdrom'],
] as const) {
  test(`"${selector}" is parsed as ${device}`, () => {
    assert.deepEqual(parseBootDevice(bootParameter(selector)), { boot_device: device, persistent: false });
    assert.deepEqual(parseBootDevice(bootParameter(selector, 'Options apply to all future boots')), {
      boot_device: device,
      persistent: true,
    });
  });
}

test('no override and unknown devices are parsed as null', () => {
  for (const selector of ['No override', 'Force Boot from Floppy/primary removable media', '', 'toString']) {
    assert.deepEqual(parseBootDevice(bootParameter(selector)), { boot_device: null, persistent: null });
  }
});

test('parsing never throws', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map((selector) => bootParameter(selector)),
  );
  fc.assert(
    fc.property(text, (answer) => {
      const { boot_device, persistent } = parseBootDevice(answer);
      assert.equal(boot_device === null, persistent === null);
    }),
  );
});

const command = (persistent: boolean, efi: boolean) =>
  bootDeviceCommand('pxe', { persistent, efi }).join(' ');

test('persistent and efi become options of the command', () => {
  assert.equal(command(false, false), 'chassis bootdev pxe');
  assert.equal(command(true, false), 'chassis bootdev pxe options=persistent');
  assert.equal(command(false, true), 'chassis bootdev pxe options=efiboot');
  assert.equal(command(true, true), 'chassis bootdev pxe options=persistent,efiboot');
});
