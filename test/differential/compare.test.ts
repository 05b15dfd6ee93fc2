import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ABSENT, type Answer, differencesOf } from './compare.ts';

const answer = (base: string, body: unknown, rest: Partial<Answer> = {}): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  text: JSON.stringify(body),
  base,
  ...rest,
});
const theirs = (body: unknown, rest: Partial<Answer> = {}) => answer('http://127.0.0.1:1', body, rest);
const ours = (body: unknown, rest: Partial<Answer> = {}) => answer('http://127.0.0.1:2', body, rest);
const aspects = (left: unknown, right: unknown) =>
  differencesOf(theirs(left), ours(right)).map(({ aspect }) => aspect);

const document = (place: string, time: unknown, uuid: string) => ({
  links: [{ href: `${place}/v1/nodes` }],
  created_at: time,
  uuid,
});

const kinds = (left: unknown, right: unknown) => differencesOf(theirs(left), ours(right), 'shapes').length;

const at = (place: string) => ({ headers: { location: `${place}/v1/nodes/1`, server: place } });

const wrapped = (inner: object) => ({ error_message: JSON.stringify(inner) });

const pageAfter = (query: string) => ({ next: `http://127.0.0.1:1/v1/nodes?${query}` });

test('another value, another kind, an additional member, and another length or order of a list are differences', () => {
  const node = { name: 'a', extra: {}, traits: ['A', 'B'] };
  assert.deepEqual(aspects(node, node), []);
  assert.deepEqual(aspects(node, { ...node, name: 'b' }), ['body.name']);
  assert.deepEqual(aspects(node, { ...node, extra: [] }), ['body.extra']);
  assert.deepEqual(aspects(node, { ...node, extra: { a: 1 } }), ['body.extra.a']);
  assert.deepEqual(aspects(node, { ...node, traits: ['A'] }), ['body.traits.length']);
  assert.deepEqual(aspects(node, { ...node, traits: ['B', 'A'] }), ['body.traits[]', 'body.traits[]']);
  assert.deepEqual(aspects([node], [{ ...node, name: null }]), ['body[].name']);
});

test('a member that is null differs from a missing member', () => {
  assert.deepEqual(differencesOf(theirs({ owner: null }), ours({})), [
    { aspect: 'body.owner', theirs: null, ours: ABSENT },
  ]);
});

test('other times, random UUIDs and URLs are no differences; other chosen UUIDs and null or malformed times are', () => {
  const first = document(
    'http://127.0.0.1:1',
    '2026-01-01T00:00:00+00:00',
    'a0000000-0000-4000-8000-000000000001',
  );
  const second = document(
    'http://127.0.0.1:2',
    '2027-02-02T01:02:03.456+00:00',
    'b0000000-0000-4000-8000-000000000002',
  );
  assert.deepEqual(aspects(first, second), []);
  assert.deepEqual(aspects(first, { ...second, created_at: null }), ['body.created_at']);
  assert.deepEqual(aspects(first, { ...second, created_at: '2027-02-02T01:02:03Z' }), ['body.created_at']);
  const chosen = '00000000-0000-4000-8000-000000000001';
  assert.deepEqual(aspects({ uuid: chosen }, { uuid: chosen.replace('1', '2') }), ['body.uuid']);
  assert.deepEqual(aspects({ uuid: chosen }, { uuid: first.uuid }), ['body.uuid']);
});

test('sentences are compared only by their JSON type, and so are all strings when the extent is shapes', () => {
  assert.deepEqual(aspects({ last_error: 'no answer' }, { last_error: 'it does not answer' }), []);
  assert.deepEqual(aspects({ last_error: 'no answer' }, { last_error: null }), ['body.last_error']);
  assert.equal(kinds({ a: 'one' }, { a: 'two' }), 0);
  assert.equal(kinds({ a: 'one' }, { a: 2 }), 1);
  assert.equal(kinds({ a: 'one' }, {}), 1);
});

test('when the status differs, nothing else is reported; headers that clients read are compared', () => {
  const refused = ours({ error_message: '' }, { status: 400 });
  assert.deepEqual(differencesOf(theirs({}), refused), [{ aspect: 'status', theirs: 200, ours: 400 }]);
  const elsewhere = differencesOf(theirs({}, at('http://127.0.0.1:1')), ours({}, at('http://127.0.0.1:3')));
  assert.deepEqual(
    elsewhere.map(({ aspect }) => aspect),
    ['header location'],
  );
  assert.deepEqual(
    differencesOf(theirs({}, at('http://127.0.0.1:1')), ours({}, at('http://127.0.0.1:2'))),
    [],
  );
});

test('error documents are compared by their form; a body that is empty or not JSON differs from JSON', () => {
  const fault = { faultcode: 'Client', faultstring: 'no', debuginfo: null };
  assert.deepEqual(aspects(wrapped(fault), wrapped({ ...fault, faultstring: 'not so' })), []);
  assert.deepEqual(aspects(wrapped(fault), wrapped({ ...fault, faultcode: 'Server' })), [
    'body.error_message',
  ]);
  assert.deepEqual(aspects(wrapped(fault), wrapped({ code: 404 })), ['body.error_message']);
  assert.deepEqual(
    differencesOf(theirs('', { text: '<html>' }), ours({})).map(({ aspect }) => aspect),
    ['body'],
  );
  assert.deepEqual(
    differencesOf(theirs('', { text: '' }), ours({})).map(({ aspect }) => aspect),
    ['body'],
  );
});

test('links to the next page differ when they lead elsewhere', () => {
  assert.deepEqual(aspects(pageAfter('limit=1&marker=a&sort_key=id'), pageAfter('marker=a&limit=1')), []);
  assert.deepEqual(aspects(pageAfter('limit=1&marker=a'), pageAfter('limit=1&marker=b')), ['body.next']);
  assert.deepEqual(aspects(pageAfter('limit=1&marker=a'), {}), ['body.next']);
});
