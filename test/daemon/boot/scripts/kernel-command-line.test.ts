import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { commandLine } from '../../../../daemon/boot/scripts/kernel-command-line.ts';
import { grubConfig } from '../../../../daemon/boot/scripts/grub.ts';
import { ipxeScript } from '../../../../daemon/boot/scripts/ipxe.ts';
import { pxelinuxConfig } from '../../../../daemon/boot/scripts/pxelinux.ts';
import { Fault } from '../../../../daemon/model/faults.ts';
import { parseKernelParameters } from '../../../../daemon/model/machine/kernel-parameters.ts';

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

  it('keeps quotes around a value, and characters that some boot loader gives a meaning', () => {
    const text =
      'sshkey="ssh-rsa AAAA+/= u@h" ds=nocloud-net;s=http://10.0.0.1/x/ ip=[fd00::2]::[fd00::1]:64:h:eth0:off a=$x|y&z`{q}*?#!~^<>()';
    assert.equal(commandLine(parseKernelParameters(text) ?? {}, source), text);
  });

  it('refuses an invalid name, what a boot loader would change, and more than 2,048 characters', () => {
    for (const value of [
      'a b',
      'a\nb',
      'a\rb',
      'a\0b',
      'a\tb',
      'é',
      '${mac}',
      '"${mac}"',
      "'",
      '\\',
      '"',
      '"a',
      'a"b"',
      '"a"b',
      '"a  b"',
      '"a || b"',
      '"a && b"',
      '"a ; b"',
      '"a #b"',
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

  it('reaches the kernel word by word through each boot loader, whatever the parameters, and adds no command', () => {
    const files = { kernel: '/k', ramdisk: '/r' };
    const words = fc.dictionary(
      fc.constantFrom('a', 'b.c', 'd-e', 'f'),
      fc.oneof(
        fc.constant(null),
        fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
        fc
          .string({
            unit: fc.constantFrom(
              '"',
              'a',
              ' ',
              '$',
              ';',
              '{',
              '}',
              '&',
              '|',
              '#',
              '!',
              '*',
              '?',
              '`',
              '[',
              ']',
              '=',
            ),
          })
          .map((text) => `"${text}"`),
      ),
      { maxKeys: 4 },
    );
    let checked = 0;
    fc.assert(
      fc.property(words, (parameters) => {
        let commandLineText: string;
        try {
          commandLineText = commandLine(parameters, source);
        } catch (error) {
          assert.ok(error instanceof Fault);
          return;
        }
        checked += 1;
        const given = { ...files, commandLine: commandLineText };
        for (const render of [ipxeScript, grubConfig, pxelinuxConfig])
          assert.equal(lines(render('t', given)), lines(render('t', { ...files, commandLine: 'x' })));
        const meant = Object.entries(parameters).map(([name, value]) =>
          value === null ? name : `${name}=${value.replaceAll('"', '')}`,
        );
        assert.deepEqual(kernelWords(ipxeArguments(ipxeScript('t', given))), meant, 'iPXE');
        assert.deepEqual(kernelWords(pxelinuxArguments(pxelinuxConfig('t', given))), meant, 'pxelinux');
        assert.deepEqual(kernelWords(grubArguments(grubConfig('t', given))), meant, 'GRUB');
      }),
      { numRuns: 3000 },
    );
    assert.ok(checked > 300, `only ${checked} were accepted`);
  });
});

/** How the kernel reads its command line: blanks separate words, double quotes keep blanks in a word and are dropped. */
const kernelWords = (text: string) =>
  (text.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).map((word) => word.replaceAll('"', ''));

/** iPXE splits a line at blanks, ends the command at `||`, `&&`, `;` or `#...`, and joins the arguments with blanks. */
function ipxeArguments(script: string): string {
  const line = script.split('\n').find((each) => each.startsWith('kernel ')) ?? '';
  assert.doesNotMatch(line.replace('${mac:hexhyp}', ''), /\$\{/);
  const tokens = line.split(/\s+/);
  const end = tokens.findIndex((token) => ['||', '&&', ';'].includes(token) || token.startsWith('#'));
  assert.equal(tokens.slice(end).join(' '), '|| goto retry');
  // without the command, the URL, BOOTIF= and initrd=
  return tokens.slice(2, end - 2).join(' ');
}

function pxelinuxArguments(config: string): string {
  const line = config.split('\n').find((each) => each.startsWith('  append ')) ?? '';
  return line.slice('  append '.length);
}

/** GRUB drops single quotes, which keep everything between them, and encloses arguments with blanks in double quotes. */
function grubArguments(config: string): string {
  const line = config.split('\n').find((each) => each.startsWith('  linux ')) ?? '';
  const parts = line.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  for (const part of parts.slice(0, -1)) assert.match(part, /^('[^']*'|[A-Za-z0-9_.,:/@%+=~-]+)$/);
  return parts
    .slice(2, -1)
    .map((part) => part.replaceAll("'", ''))
    .map((argument) => (argument.includes(' ') ? `"${argument}"` : argument))
    .join(' ');
}
