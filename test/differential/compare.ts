// What differs between the answers of two servers to one request, except for random values and free text.

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The URL of the server: links begin with it. */
  readonly base: string;
}

export interface Difference {
  /** What differs, such as `status`, `header location` or `body.nodes[].name`. */
  readonly aspect: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** What is compared of headers and bodies: `values`, or with `shapes` only JSON types, member names and lengths of lists. */
export type Extent = 'values' | 'shapes';

/** Stands for a missing value. */
export const ABSENT = '(absent)';

const HEADERS = [
  'content-type',
  'location',
  'allow',
  'vary',
  'retry-after',
  'www-authenticate',
  'x-openstack-ironic-api-minimum-version',
  'x-openstack-ironic-api-maximum-version',
  'x-openstack-ironic-api-version',
];

// Lists that one side gives in no particular order
const UNORDERED = /\.(enabled_\w+_interfaces|hosts)$/;

// names of members that hold sentences, whose wording is not compared
const FREE_TEXT = new Set(['faultstring', 'last_error', 'event', 'reason']);

/** UUIDs that the scenarios choose; all others are random. */
export const CHOSEN_UUID = /^00000000-/;

export function differencesOf(
  theirs: Answer,
  ours: Answer,
  extent: Extent = 'values',
): readonly Difference[] {
  // further differences follow from the different status and are not reported
  if (theirs.status !== ours.status) return [{ aspect: 'status', theirs: theirs.status, ours: ours.status }];
  const headers = HEADERS.flatMap((name) =>
    compared(`header ${name}`, headerOf(theirs, name), headerOf(ours, name), extent),
  );
  return [...headers, ...compared('body', bodyOf(theirs), bodyOf(ours), extent)];
}

function headerOf({ headers, base }: Answer, name: string): string {
  return headers[name]?.replaceAll(base, 'http://api').replace(/^([A-Z]+(, )?)+$/, sortedWords) ?? ABSENT;
}

const sortedWords = (words: string) => words.split(', ').toSorted().join(', ');

function bodyOf({ text, base }: Answer): unknown {
  if (text === '') return ABSENT;
  try {
    return essence(JSON.parse(text.replaceAll(base, 'http://api')));
  } catch {
    return '(not JSON)';
  }
}

function essence(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { error_message: inner, next } = body;
  if (typeof inner === 'string') return { error_message: errorForm(inner) };
  return typeof next === 'string' ? { ...body, next: pageOf(next) } : body;
}

// Error documents are JSON in a string of JSON; the wording of their sentences is not compared
function errorForm(inner: string): string {
  try {
    const { faultcode, ...rest } = JSON.parse(inner) as Readonly<Record<string, unknown>>;
    const names = Object.keys(rest).toSorted().join(' ');
    return typeof faultcode === 'string' ? `${faultcode} fault: ${names}` : names;
  } catch {
    return '(not JSON)';
  }
}

function compared(aspect: string, theirs: unknown, ours: unknown, extent: Extent): readonly Difference[] {
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    return UNORDERED.test(aspect)
      ? comparedItems(aspect, theirs.toSorted(byText), ours.toSorted(byText), extent)
      : comparedItems(aspect, theirs, ours, extent);
  }
  if (isObject(theirs) && isObject(ours)) {
    const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])];
    return names.flatMap((name) =>
      comparedMembers(
        `${aspect}.${name}`,
        at(theirs, name),
        at(ours, name),
        FREE_TEXT.has(name) ? 'shapes' : extent,
      ),
    );
  }
  const seen = extent === 'shapes' ? kindOf : constant;
  const [left, right] = [seen(theirs), seen(ours)];
  return JSON.stringify(left) === JSON.stringify(right) ? [] : [{ aspect, theirs: left, ours: right }];
}

// of a link, only the path, marker and limit are compared; its other parameters are checked by following it
function pageOf(link: string): string {
  const { pathname, searchParams } = new URL(link);
  return `${pathname} after ${searchParams.get('marker')}, ${searchParams.get('limit')} at most`;
}

const byText = (left: unknown, right: unknown) => String(left).localeCompare(String(right));

// a member that one side lacks differs from a null member
function comparedMembers(
  aspect: string,
  theirs: unknown,
  ours: unknown,
  extent: Extent,
): readonly Difference[] {
  if (theirs !== ABSENT && ours !== ABSENT) return compared(aspect, theirs, ours, extent);
  return [{ aspect, theirs: constant(theirs), ours: constant(ours) }];
}

function comparedItems(
  aspect: string,
  theirs: readonly unknown[],
  ours: readonly unknown[],
  extent: Extent,
): readonly Difference[] {
  if (theirs.length !== ours.length)
    return [{ aspect: `${aspect}.length`, theirs: theirs.length, ours: ours.length }];
  return theirs.flatMap((item, index) => compared(`${aspect}[]`, item, ours[index], extent));
}

const at = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : ABSENT;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The value without its random parts. */
function constant(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (TIME.test(value)) return '(time)';
  return value.replaceAll(UUID, (uuid) => (CHOSEN_UUID.test(uuid) ? uuid : '(uuid)'));
}

function kindOf(value: unknown): string {
  if (value === ABSENT) return ABSENT;
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
