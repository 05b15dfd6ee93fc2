import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBootif } from '../../../../plugins/inspection/interfaces/bootif.ts';

test('BOOTIF accepts hyphens or colons, with or without the hardware type', () => {
  for (const text of [
    '01-52-54-00-AB-CD-EF',
    '52-54-00-ab-cd-ef',
    '52:54:00:AB:CD:EF',
    '01:52:54:00:ab:cd:ef',
  ])
    assert.equal(parseBootif(text), '52:54:00:ab:cd:ef', text);
});

test('a BOOTIF without a valid MAC parses to undefined', () => {
  for (const text of ['', '01', '01-52-54-00-ab', '01-02-52-54-00-ab-cd-ef', 'eth0', '01-52-54-00-ab-cd-zz'])
    assert.equal(parseBootif(text), undefined, text);
});
