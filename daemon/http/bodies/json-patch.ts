// PATCH of a resource: add, replace and remove of RFC 6902 on its stored fields, with Ironic's rules about paths.
import { applyPatch, type Operation } from 'rfc6902';
import { fault } from '../../model/faults.ts';
import { type FieldTable, takesNull } from '../../model/records/fields.ts';
import { isJsonObject } from '../../model/json.ts';

export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** A path has at most this many names, so that no series of patches nests a document too deeply to be stored or shown. */
export const MAXIMUM_DEPTH = 25;
/** Far more than any client sends, but few enough to be applied quickly. */
export const MAXIMUM_OPERATIONS = 1000;
// The most list elements that a patch may shift by inserting or removing elements before them. Shifting so many takes about
// 0.1 seconds.
const MAXIMUM_MOVES = 10_000_000;
const PATH = /^(\/[\p{L}\p{N}_-]+)+$/u;
/** Since API 1.98 a name may contain `~0` for a tilde and `~1` for a slash (RFC 6901). */
const ESCAPES_SINCE = 98;
const PATH_WITH_ESCAPES = /^(\/([\p{L}\p{N}_-]|~[01])+)+$/u;

/** Checks shape, paths and versions of the operations. Throws InvalidSchema, PatchForbidden or VersionTooOld. */
export function parsePatch(body: unknown, fields: FieldTable, minor: number): readonly PatchOperation[] {
  if (!Array.isArray(body))
    throw fault('InvalidSchema', { resource: 'patch', reason: 'the body is not of type array' });
  if (body.length > MAXIMUM_OPERATIONS)
    throw wrong(`it has ${body.length} operations, and at most ${MAXIMUM_OPERATIONS} are accepted`);
  const operations = body.map((operation) => parseOperation(operation, minor));
  for (const { op, path } of operations) {
    const name = rootOf(path);
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field?.update !== true)
      throw fault('PatchForbidden', { path, allowed: updatable(fields).join(', ') });
    if (op !== 'remove' && field.since > minor) throw fault('VersionTooOld', { since: field.since });
  }
  return operations;
}

export const rootOf = (path: string): string => path.split('/')[1] ?? '';

const updatable = (fields: FieldTable): string[] =>
  Object.entries(fields)
    .filter(([, field]) => field.update === true)
    .map(([name]) => `/${name}`)
    .toSorted();

const wrong = (reason: string) => fault('InvalidSchema', { resource: 'patch', reason });

function parseOperation(operation: unknown, minor: number): PatchOperation {
  if (!isJsonObject(operation)) throw wrong('an operation is not of type object');
  const { op, path, ...rest } = operation as Readonly<Record<string, unknown>>;
  const extra = Object.keys(rest).find((key) => key !== 'value');
  if (extra !== undefined) throw wrong(`Additional properties are not allowed ('${extra}' was unexpected)`);
  if (op !== 'add' && op !== 'replace' && op !== 'remove') {
    throw wrong(`${JSON.stringify(op)} is not one of add, replace, remove`);
  }
  const checkedPath = parsePath(path, minor >= ESCAPES_SINCE ? PATH_WITH_ESCAPES : PATH);
  if (op !== 'remove' && rest['value'] === undefined) {
    throw wrong(`'value' is a required property of ${op} ${checkedPath}`);
  }
  return { op, path: checkedPath, value: rest['value'] };
}

function parsePath(path: unknown, form: RegExp): string {
  if (typeof path !== 'string' || !form.test(path))
    throw wrong(`${JSON.stringify(path)} does not match '${form.source}'`);
  if (path.split('/').length - 1 > MAXIMUM_DEPTH)
    throw wrong(`${path} is not a path of at most ${MAXIMUM_DEPTH} names`);
  // a pointer must not reach inherited properties
  if (/\/(__proto__|constructor|prototype)(\/|$)/.test(path))
    throw wrong(`${path} is not a path into the resource`);
  return path;
}

/**
 * Returns the fields that differ after the operations. The operations are applied in order, all or none. `current` contains every
 * updatable field (null where unset). Removing a field resets it to its initial value, and so does writing null to a field that
 * accepts null. Throws InvalidPatch.
 */
export function patchedFields(
  current: Readonly<Record<string, unknown>>,
  operations: readonly PatchOperation[],
  fields: FieldTable,
): Record<string, unknown> {
  const touched = new Set(operations.map(({ path }) => rootOf(path)));
  const document: Record<string, unknown> = { ...current };
  // each field is cloned separately: fields that share an empty object must not share its copy
  for (const name of touched) document[name] = structuredClone(document[name]);
  let moves = 0;
  for (const operation of operations) {
    const flaw = missingIn(document, operation);
    if (flaw === undefined) moves += movesOf(document, operation);
    if (moves > MAXIMUM_MOVES) throw unfit(`${operation.op} ${operation.path}: ${TOO_MANY_MOVES}`);
    const failure = flaw ?? applyPatch(document, [effective(operation, fields)])[0];
    if (failure) throw unfit(flawText(operation, failure));
  }
  return Object.fromEntries(
    [...touched]
      .filter((name) => JSON.stringify(document[name]) !== JSON.stringify(current[name]))
      .map((name) => [name, document[name]]),
  );
}

// clients recognise the error by these first words of its reason
const flawText = ({ op, path }: PatchOperation, flaw: Error): string =>
  op === 'add'
    ? `can't add ${path}: ${flaw.message}`
    : `can't ${op} a non-existent object, ${path}: ${flaw.message}`;

const namesIn = (path: string): string[] =>
  path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));

// Inherited properties and the length of an array are not members of the document
function missingIn(document: unknown, { op, path }: PatchOperation): Error | undefined {
  const names = namesIn(path);
  let place = document;
  for (const [depth, name] of names.entries()) {
    if (op === 'add' && depth === names.length - 1) {
      if (takesMember(place, name)) return undefined;
      return new Error(`/${names.slice(0, depth).join('/')} ${refusal(place, name)}`);
    }
    if (!hasMember(place, name))
      return new Error(`there is no /${names.slice(0, depth + 1).join('/')} to change`);
    place = (place as Readonly<Record<string, unknown>>)[name];
  }
  return undefined;
}

const refusal = (place: unknown, name: string): string =>
  Array.isArray(place)
    ? `is a list of ${place.length} and takes no item "${name}"`
    : 'is neither an object nor a list';

const unfit = (reason: string) => fault('InvalidPatch', { reason });

const TOO_MANY_MOVES = `the operations shift more than ${MAXIMUM_MOVES} elements of lists; replace the whole list`;

/** Returns the number of list elements that the operation shifts. */
function movesOf(document: object, { op, path }: PatchOperation): number {
  const names = namesIn(path);
  const name = names.pop() ?? '';
  const list = names.reduce<unknown>(
    (place, each) => (place as Readonly<Record<string, unknown>>)[each],
    document,
  );
  return Array.isArray(list) && op !== 'replace' && name !== '-' ? list.length - Number(name) : 0;
}

const hasMember = (place: unknown, name: string): boolean =>
  Array.isArray(place)
    ? /^\d+$/.test(name) && Number(name) < place.length
    : isJsonObject(place) && Object.hasOwn(place, name);

const takesMember = (place: unknown, name: string): boolean =>
  Array.isArray(place)
    ? name === '-' || (/^\d+$/.test(name) && Number(name) <= place.length)
    : isJsonObject(place);

function effective({ op, path, value }: PatchOperation, fields: FieldTable): Operation {
  const name = rootOf(path);
  const field = fields[name];
  const isRoot = path === `/${name}`;
  if (isRoot && field !== undefined && (op === 'remove' || (value === null && takesNull(field)))) {
    return { op: 'replace', path, value: structuredClone(field.initial) };
  }
  return op === 'remove'
    ? { op, path }
    : { op: isRoot ? 'replace' : op, path, value: structuredClone(value) };
}
