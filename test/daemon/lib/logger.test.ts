// Each log line is JSON without secrets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, type Logger, type LogLevel } from '../../../daemon/lib/logger.ts';
import type { JsonObject } from '../../../daemon/model/json.ts';
import { maskSecrets } from '../../../daemon/model/secrets.ts';

const mask = (fields: Record<string, unknown>) => maskSecrets(fields as JsonObject);

function lines(write: (log: Logger) => void, level: LogLevel = 'debug'): readonly Record<string, unknown>[] {
  const written: string[] = [];
  write(createLogger({ level, mask, destination: { write: (text) => void written.push(text) } }));
  for (const text of written) {
    assert.ok(text.endsWith('\n') && !text.slice(0, -1).includes('\n'), 'each write is one line');
    assert.ok(!text.includes('s3cret'), `a secret is in ${text}`);
  }
  return written.map((text) => JSON.parse(text) as Record<string, unknown>);
}

function atEveryLevel(log: Logger): void {
  log.debug({}, 'debug');
  log.info({}, 'info');
  log.warn({}, 'warn');
  log.error({}, 'error');
}

function line(write: (log: Logger) => void): Record<string, unknown> {
  const [first, ...rest] = lines(write);
  assert.equal(rest.length, 0);
  return first ?? {};
}

test('a line has level, time, fields and message', () => {
  const { time, ...rest } = line((log) => log.info({ node: 'n1', attempt: 2 }, 'power is on'));
  assert.deepEqual(rest, { level: 'info', node: 'n1', attempt: 2, msg: 'power is on' });
  assert.equal(new Date(String(time)).toISOString(), time);
});

const levelsAt = (level: LogLevel) => lines(atEveryLevel, level).map((each) => each['level']);

test('a level logs itself and more severe levels, and silent logs nothing', () => {
  assert.deepEqual(levelsAt('debug'), ['debug', 'info', 'warn', 'error']);
  assert.deepEqual(levelsAt('warn'), ['warn', 'error']);
  assert.deepEqual(levelsAt('silent'), []);
});

test('secrets are masked in fields at every depth', () => {
  const { node, password } = line((log) =>
    log.info({ password: 's3cret', node: { driver_info: [{ ipmi_password: 's3cret', user: 'admin' }] } }),
  );
  assert.equal(password, '******');
  assert.deepEqual(node, { driver_info: [{ ipmi_password: '******', user: 'admin' }] });
});

test('a line of a child logger has the fields of that logger and of its parent, with secrets masked', () => {
  const written = line((log) =>
    log.child({ node: 'n1', auth_token: 's3cret' }).child({ request_id: 'req-1' }).warn({ a: 1 }, 'hm'),
  );
  assert.deepEqual(
    [written['node'], written['auth_token'], written['request_id'], written['a'], written['msg']],
    ['n1', '******', 'req-1', 1, 'hm'],
  );
});

test('a quoted secret in the message is masked', () => {
  assert.equal(
    line((log) => log.info({}, `ran with password="s3cret"`))['msg'],
    `ran with password="******"`,
  );
});

test('secrets in JSON inside a message are masked, even when encoded twice', () => {
  const body = JSON.stringify({ auth_token: 's3cret', name: 'n1' });
  assert.equal(line((log) => log.info({}, body))['msg'], '{"auth_token":"******","name":"n1"}');
  const twice = JSON.parse(String(line((log) => log.info({}, JSON.stringify(body)))['msg'])) as string;
  assert.deepEqual(JSON.parse(twice), { auth_token: '******', name: 'n1' });
});

test('long texts, lists and objects are truncated at every depth, with a note of how much is omitted', () => {
  const macs = Array.from({ length: 60_000 }, (_, at) => `52:54:00:00:00:${at}`);
  const flat = Object.fromEntries(macs.slice(0, 500).map((mac) => [mac, 1]));
  const written = line((log) =>
    log.child({ macs }).warn({ deep: [{ macs, flat }], text: 'x'.repeat(10_000) }, 'y'.repeat(10_000)),
  );
  const [deep] = written['deep'] as readonly [Record<string, Record<string, unknown>>];
  assert.deepEqual(deep['macs'], [...macs.slice(0, 50), '... (59950 more)']);
  assert.deepEqual(written['macs'], deep['macs']);
  assert.deepEqual([Object.keys(deep['flat'] ?? {}).length, deep['flat']?.['...']], [101, '400 more']);
  for (const name of ['text', 'msg'])
    assert.match(String(written[name]), /^(.)\1{4095}\.\.\. \(5904 more characters\)$/);
  assert.ok(JSON.stringify(written).length < 20_000);
});

test('secrets are masked before truncation', () => {
  const text = `${'x'.repeat(4080)} password="s3cret-${'y'.repeat(100)}"`;
  assert.doesNotMatch(String(line((log) => log.info({ text }))['text']), /s3c/);
});

test('percent signs in a message are not format specifiers', () => {
  assert.equal(line((log) => log.info({}, 'disk 90% full, %s %d'))['msg'], 'disk 90% full, %s %d');
});

test('an error is logged with type, message, stack and causes, with secrets masked', () => {
  const cause = new TypeError(`auth failed: token='s3cret'`);
  const written = line((log) =>
    log.error({ error: new Error(`with password="s3cret"`, { cause }) }, 'deploy failed'),
  );
  const error = written['error'] as Record<string, unknown>;
  assert.equal(error['type'], 'Error');
  assert.equal(error['message'], 'with password="******"');
  assert.match(String(error['stack']), /^Error: with password="\*{6}"\n.*logger\.test\.ts/);
  const inner = error['cause'] as Record<string, unknown>;
  assert.deepEqual([inner['type'], inner['message']], ['TypeError', `auth failed: token='******'`]);
});

test('an error passed instead of fields is logged as an error', () => {
  const written = line((log) => log.error(new RangeError('too far'), 'step failed'));
  assert.deepEqual(
    [written['type'], written['message'], written['msg']],
    ['RangeError', 'too far', 'step failed'],
  );
});

test('an error nested in a field is logged', () => {
  const { results } = line((log) =>
    log.error({ results: [{ node: 'n1', reason: new RangeError('too far') }] }),
  );
  const [{ reason }] = results as [{ reason: Record<string, unknown> }];
  assert.deepEqual([reason['type'], reason['message']], ['RangeError', 'too far']);
});

test('circular causes and circular values are logged as [circular]', () => {
  const error = new Error('round');
  error.cause = error;
  const node: Record<string, unknown> = { name: 'n1' };
  node['self'] = node;
  const written = line((log) => log.error({ error, node }));
  assert.equal((written['error'] as Record<string, unknown>)['cause'], '[circular]');
  assert.deepEqual(written['node'], { name: 'n1', self: '[circular]' });
});

test('a value that occurs twice on one line is logged twice', () => {
  const port = { address: '52:54:00:12:34:56' };
  assert.deepEqual(line((log) => log.info({ ports: [port, port] }))['ports'], [port, port]);
});

test('dates, URLs and big integers are logged as text; functions and undefined values are omitted', () => {
  const written = line((log) =>
    log.info({
      at: new Date(0),
      url: new URL('http://192.0.2.7/'),
      size: 2n ** 64n,
      run: () => 1,
      none: undefined,
    }),
  );
  assert.equal(written['at'], '1970-01-01T00:00:00.000Z');
  assert.equal(written['url'], 'http://192.0.2.7/');
  assert.equal(written['size'], '18446744073709551616');
  assert.deepEqual(['run' in written, 'none' in written], [false, false]);
});

test('a line on a terminal cannot control it, and programs read the same text', () => {
  const written: string[] = [];
  const destination = { write: (text: string) => void written.push(text) };
  createLogger({ level: 'info', mask, destination }).info({ name: '\x9b31m\u202e' }, 'seen \x1b[2J');
  assert.match(written[0] ?? '', /"name":"\\u009b31m\\u202e","msg":"seen \\u001b\[2J"/);
  assert.equal((JSON.parse(written[0] ?? '') as { name: string }).name, '\x9b31m\u202e');
});
