// Secrets are masked under secret keys and inside texts, at any depth.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Json } from '../../../daemon/model/json.ts';
import { isSecretKey, MASK, maskSecrets } from '../../../daemon/model/secrets.ts';

test('a key is secret when its name contains a word for a secret, in upper or lower case', () => {
  const secret = [
    'password',
    'redfish_password',
    'ipmi_password',
    'IPMI_Password',
    'adminPass',
    'admin_pass',
    'new_pass',
    'auth_token',
    'agent_secret_token',
    'my_token_id',
    'client_secret',
    'configdrive',
    'private_key',
    'private_key_path',
    'image_passphrase',
    'sys_pswd',
    'chapPassword',
    'encrypted_key',
    'fernetkey',
    'sslkey',
    'snmp_auth_key',
    'snmp_priv_key',
  ];
  for (const key of secret) assert.equal(isSecretKey(key), true, key);
});

test('a key that only resembles a secret key is not secret', () => {
  for (const key of ['passwd', 'auth', 'username', 'ipmi_address', 'key', 'pass', 'public_key', ''])
    assert.equal(isSecretKey(key), false, key);
});

test('a secret of any type is masked, even null', () => {
  const values: readonly Json[] = ['s3cret', '', 0, 42, true, false, null, { a: 1 }, ['a']];
  for (const value of values) assert.deepEqual(maskSecrets({ password: value }), { password: '******' });
});

test('secrets are masked in objects and lists at every depth, everything else is kept', () => {
  const node = {
    driver_info: { ipmi_address: '192.0.2.7', ipmi_password: 'a' },
    instance_info: { disks: [{ secret: 'b' }, [{ deep: { auth_token: 'c' } }], 'plain', 7, null, true] },
  };
  assert.deepEqual(maskSecrets(node), {
    driver_info: { ipmi_address: '192.0.2.7', ipmi_password: MASK },
    instance_info: { disks: [{ secret: MASK }, [{ deep: { auth_token: MASK } }], 'plain', 7, null, true] },
  });
});

test('masking returns a copy and leaves the original unchanged', () => {
  const node = { driver_info: { password: 'kept' } };
  maskSecrets(node);
  assert.equal(node.driver_info.password, 'kept');
});

test('a quoted secret inside a text is masked and the surrounding text is kept', () => {
  assert.equal(maskSecrets(`login with password="s3cret" failed`), `login with password="******" failed`);
  assert.equal(maskSecrets(`{"auth_token": "abc", "a": "b"}`), `{"auth_token": "******", "a": "b"}`);
  assert.equal(maskSecrets(`Password: 'a' secret='b'`), `Password: '******' secret='******'`);
  assert.equal(
    maskSecrets(`{"private_key": "a"} sslkey='b' admin_pass="c"`),
    `{"private_key": "******"} sslkey='******' admin_pass="******"`,
  );
  assert.equal(maskSecrets(`{"secret_uuid": "abc"}`), `{"secret_uuid": "******"}`);
  assert.equal(maskSecrets('the password is wrong'), 'the password is wrong');
});

test('a quote inside a quoted secret does not end it', () => {
  assert.equal(maskSecrets(`password="it's mine" next`), `password="******" next`);
  assert.equal(maskSecrets(String.raw`{"password": "a\"b", "c": "d"}`), `{"password": "******", "c": "d"}`);
});

test('a key named __proto__ is masked like any other key', () => {
  const masked = maskSecrets(JSON.parse('{"__proto__": {"password": "a"}, "b": 1}') as Json);
  assert.equal(JSON.stringify(masked), '{"__proto__":{"password":"******"},"b":1}');
});

test('masking is idempotent', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const once = maskSecrets(value as Json);
      assert.deepEqual(maskSecrets(once), once);
    }),
  );
});

test('a secret under a secret key is masked anywhere in any value', () => {
  const secret = 'Zq7-the-secret-9xW';
  const key = fc.constantFrom(
    'password',
    'ipmi_password',
    'agent_secret_token',
    'configdrive',
    'A_Private_Key_B',
  );
  const other = fc.string().filter((text) => !isSecretKey(text));
  const holder = key.map((name): Json => ({ [name]: { inside: [secret] } }));
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      holder,
      fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
      fc.dictionary(other, tie('tree'), { minKeys: 1, maxKeys: 3 }),
      fc.tuple(holder, fc.jsonValue() as fc.Arbitrary<Json>),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      assert.ok(JSON.stringify(value).includes(secret));
      assert.ok(!JSON.stringify(maskSecrets(value)).includes(secret));
    }),
    { numRuns: 500 },
  );
});

test('a value without secrets is unchanged', () => {
  const harmless = fc
    .jsonValue()
    .filter((value) => !/pass|secret|token|key|drive|pswd/i.test(JSON.stringify(value)));
  fc.assert(
    fc.property(harmless, (value) => {
      assert.equal(JSON.stringify(maskSecrets(value as Json)), JSON.stringify(value));
    }),
  );
});

test('a secret in JSON that is quoted in JSON is masked at every depth of quoting', () => {
  const message = { password: String.raw`a"b\ and ' more`, reason: 'none' };
  let quoted: string = JSON.stringify(message);
  let expected: string = JSON.stringify({ ...message, password: MASK });
  for (let depth = 0; depth < 4; depth += 1) {
    assert.equal(maskSecrets(quoted), expected, `quoted ${depth} times`);
    quoted = JSON.stringify({ text: quoted });
    expected = JSON.stringify({ text: expected });
  }
});

test('a secret whose closing quote was cut off is masked to the end', () => {
  assert.equal(maskSecrets(`refused: {"password": "s3cret, and`), `refused: {"password": "******`);
});

const fallingRuns = (count: number) =>
  Array.from({ length: count }, (_, at) => `password=${'\\'.repeat(count - at)}"`).join('');

test('masking hostile texts takes linear time', () => {
  // each text has at least a million characters: in quadratic time it would take many minutes
  const started = performance.now();
  for (const text of [fallingRuns(1800), `token='${'\\'.repeat(1_000_000)}`, 'secret="" '.repeat(100_000)])
    maskSecrets(text);
  assert.ok(performance.now() - started < 20_000);
});

test('the credentials of every URL are masked anywhere in a text or value', () => {
  const cases = {
    'http://u:p@images.test/a': 'http://******@images.test/a',
    'https://token@images.test:8443/a?b=c': 'https://******@images.test:8443/a?b=c',
    'http://u:p@ss@images.test': 'http://******@images.test',
    'see ftp://u:p@a/ and HTTP://v:q@b/': 'see ftp://******@a/ and HTTP://******@b/',
    '{"url":"http://u:p@a/"}': '{"url":"http://******@a/"}',
    'http://images.test/pool/@latest': 'http://images.test/pool/@latest',
    'http://images.test/?mail=a@b': 'http://images.test/?mail=a@b',
    'a@b': 'a@b',
  };
  for (const [given, masked] of Object.entries(cases)) assert.equal(maskSecrets(given), masked);
  assert.deepEqual(maskSecrets({ a: [{ b: 'http://u:p@c' }], n: 1, nothing: null }), {
    a: [{ b: 'http://******@c' }],
    n: 1,
    nothing: null,
  });
});

test('masking URLs in hostile texts takes linear time', () => {
  // in quadratic time, a text that repeats :// or ://a would take minutes
  for (const part of ['://', ':', 'a', '@', '://a', '://@', 'a=', '=', 'password', 'a=b '])
    assert.equal(typeof maskSecrets(part.repeat(300_000)), 'string');
});

test('secrets are known by their place too: kernel parameters, queries of URLs, BIOS settings, and rules that set a field', () => {
  const cases: readonly (readonly [Json, Json])[] = [
    ['quiet rd.password=hunter2 nofb', `quiet rd.password=${MASK} nofb`],
    [
      'inst.passphrase=a ipa-agent-token=b rootpw=$6$c',
      `inst.passphrase=${MASK} ipa-agent-token=${MASK} rootpw=${MASK}`,
    ],
    ['https://s3.test/a?X-Amz-Signature=abc&b=c', `https://s3.test/a?X-Amz-Signature=${MASK}&b=c`],
    ['https://blob.test/a?sv=1&sig=abc', `https://blob.test/a?sv=1&sig=${MASK}`],
    ['console=ttyS0 design=1', 'console=ttyS0 design=1'],
    [
      { name: 'AdminPassword', value: 'x' },
      { name: 'AdminPassword', value: MASK },
    ],
    [
      { name: 'BootMode', value: 'Uefi' },
      { name: 'BootMode', value: 'Uefi' },
    ],
    [
      { op: 'set-attribute', args: { path: '/driver_info/ipmi_password', value: 'x' } },
      { op: 'set-attribute', args: { path: '/driver_info/ipmi_password', value: MASK } },
    ],
    [
      { op: 'set-attribute', args: ['/driver_info/ipmi_password', 'x'] },
      { op: 'set-attribute', args: ['/driver_info/ipmi_password', MASK] },
    ],
    [
      ['/extra/rack', 'x'],
      ['/extra/rack', 'x'],
    ],
    [{ headers: { Authorization: 'Basic eDp5' } }, { headers: { Authorization: MASK } }],
  ];
  for (const [given, masked] of cases) {
    assert.deepEqual(maskSecrets(given), masked);
    assert.deepEqual(maskSecrets(masked), masked, 'twice masked');
  }
});
