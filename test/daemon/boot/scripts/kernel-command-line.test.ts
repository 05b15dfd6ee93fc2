import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { commandLine } from '../../../../daemon/boot/scripts/kernel-command-line.ts';
import { grubConfig } from '../../../../daemon/boot/scripts/grub.ts';
import { ipxeScript } from '../../../../daemon/boot/scripts/ipxe.ts';
import { pxelinuxConfig } from '../../../../daemon/boot/scripts/pxelinux.ts';
import { Fault } from '../../../../daemon/model/faults.ts';

const lines = (text: string) => text.split(/[\n\r]/).length;
const source = 'driver_info/kernel_append_params';

describe('a kernel command line', () => {
  it('keeps names, values and their order', () => {
    assert.equal(
      commandLine(
        { nofb: null, vga: 'normal', 'ipa-api-url': 'http://10.0.0.1:6385', console: 'ttyS0,115200n8' },
        source,
      ),
      'nofb vga=normal ipa-api-url=http://10.0.0.1:6385 console=ttyS0,115200n8',
    );
  });

  it('refuses an invalid name, a value that a boot script could interpret, and more than 2,048 characters', () => {
    for (const value of [
      'a b',
      'a\nb',
      'a\rb',
      'a\0b',
      'a;b',
      '${mac}',
      '$x',
      'a||b',
      'a&&b',
      '"a"',
      "'",
      '`x`',
      '{',
      '\\',
    ]) {
      assert.throws(
        () => commandLine({ good: null, bad: value }, source),
        (error) => {
          assert.ok(error instanceof Fault);
          assert.match(error.message, /driver_info\/kernel_append_params.*the value of bad/);
          return true;
        },
        JSON.stringify(value),
      );
    }
    for (const name of ['', 'a b', 'a\n', 'a;', '${x}', 'a=b'])
      assert.throws(() => commandLine({ [name]: 'x' }, source), /is not a name/, JSON.stringify(name));
    assert.throws(() => commandLine({ a: 'x'.repeat(2048) }, source), /2050 characters; at most 2048/);
  });

  it('never adds a line or a command to a boot script, whatever the parameters', () => {
    const files = { kernel: '/k', ramdisk: '/r' };
    const plain = { ...files, commandLine: 'x' };
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.constant(null)), { maxKeys: 4 }),
        (parameters) => {
          let line: string;
          try {
            line = commandLine(parameters, source);
          } catch (error) {
            assert.ok(error instanceof Fault);
            return;
          }
          const given = { ...files, commandLine: line };
          for (const render of [ipxeScript, grubConfig, pxelinuxConfig])
            assert.equal(lines(render('t', given)), lines(render('t', plain)));
          assert.doesNotMatch(line, /[;&|$"'`{}\\\0]/);
        },
      ),
    );
  });
});
