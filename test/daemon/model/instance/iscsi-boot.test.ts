import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type IscsiBoot, iscsiFlaw, pathFlaw } from '../../../../daemon/model/instance/iscsi-boot.ts';

const way = { portal: '192.0.2.1:3260', target: 'iqn.2026-01.example:disk_1', lun: 0 };
const boot: IscsiBoot = { initiator: 'iqn.2026-01.example:node-1', login: null, volumes: [[way]] };

test('portals are addresses and host names, with or without a port', () => {
  for (const portal of ['192.0.2.1', 'san-1.example', 'san:860', '[2001:db8::1]', '[2001:db8::1]:65535'])
    assert.equal(pathFlaw({ ...way, portal }), undefined, portal);
  const wrong = [
    '',
    ':3260',
    '2001:db8::1',
    '[san]',
    '[192.0.2.1]',
    'san:0',
    'san:65536',
    'san:x',
    'san host',
    'a${b}',
    '-a',
  ];
  for (const portal of [...wrong, 'a'.repeat(400)])
    assert.match(pathFlaw({ ...way, portal }) ?? '', /is not a portal/, portal);
});

test('nothing that iPXE would interpret, and nothing without bounds, gets into a script', () => {
  for (const target of ['disk', 'iqn.a b', 'iqn.a\nshell', 'iqn.${x}', 'iqn.a#', `iqn.${'a'.repeat(220)}`]) {
    assert.match(pathFlaw({ ...way, target }) ?? '', /is not the name of a target/);
    assert.match(iscsiFlaw({ ...boot, initiator: target }) ?? '', /is not the name of an initiator/);
  }
  for (const lun of [-1, 1.5, 16_384, Number.NaN])
    assert.match(pathFlaw({ ...way, lun }) ?? '', /is not a LUN/);
});

test('logins and the numbers of volumes and ways have bounds', () => {
  const login = { username: 'a', password: 'b' };
  for (const text of ['', 'a\nb', '\u0000', 'a'.repeat(256)])
    assert.match(iscsiFlaw({ ...boot, login: { ...login, password: text } }) ?? '', /password of the login/);
  assert.match(iscsiFlaw({ ...boot, volumes: [] }) ?? '', /0 volumes/);
  assert.match(iscsiFlaw({ ...boot, volumes: Array.from({ length: 17 }, () => [way]) }) ?? '', /17 volumes/);
  assert.match(iscsiFlaw({ ...boot, volumes: [Array.from({ length: 3 }, () => way)] }) ?? '', /1 to 2 ways/);
  assert.equal(iscsiFlaw({ ...boot, login }), undefined);
});
