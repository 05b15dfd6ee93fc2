// Reads why a BMC has refused a request.
import { type HttpReply, isJsonObject, type Json, type JsonObject, jsonObjectIn } from '#plugin-api';
import { redfishLimits } from '../limits.ts';

export interface Refusal {
  readonly status: number;
  /**
   * The last part of each message identifier, such as `ActionNotSupported`: the most severe message first, the error's `code`
   * last.
   */
  readonly messages: readonly string[];
  /** What the messages are about: their arguments, and names of properties. */
  readonly subjects: readonly string[];
  readonly reason: string;
}

const SEVERITIES = ['Critical', 'Warning'];

/** The body of the reply need not be JSON. */
export function refusalIn({ status, bytes }: Pick<HttpReply, 'status' | 'bytes'>): Refusal {
  const { error } = jsonObjectIn(bytes) ?? {};
  const nothing = { status, messages: [], subjects: [], reason: shortReason(status, bytes) };
  if (!isJsonObject(error)) return nothing;
  const infos = sorted(listOf(error['@Message.ExtendedInfo']).filter(isJsonObject));
  const identifiers = [...infos.map((info) => info['MessageId']), error['code']];
  const [first = {}] = infos;
  return {
    status,
    messages: texts(identifiers).map((identifier) => identifier.slice(identifier.lastIndexOf('.') + 1)),
    subjects: infos.flatMap((info) => [
      ...texts(listOf(info['MessageArgs'])),
      ...texts(listOf(info['RelatedProperties'])).map(propertyName),
    ]),
    reason:
      texts([first['Message'], error['message']])[0]?.slice(0, redfishLimits.reasonCharacters) ??
      nothing.reason,
  };
}

/** Whether a message's identifier, an argument, the name of a property or the reason contains the word. */
export function mentions({ messages, subjects, reason }: Refusal, word: string): boolean {
  return [...messages, ...subjects, reason].some((text) => text.includes(word));
}

// sorts messages: the most severe one first
const sorted = (infos: readonly JsonObject[]): readonly JsonObject[] =>
  infos.toSorted((a, b) => rankOf(a) - rankOf(b));

function rankOf(info: JsonObject): number {
  const rank = SEVERITIES.findIndex((severity) => severity === (info['MessageSeverity'] ?? info['Severity']));
  return rank === -1 ? SEVERITIES.length : rank;
}

/** A BMC may send a single value in place of a list. */
const listOf = (given: Json = []): readonly Json[] =>
  Array.isArray(given) ? (given as readonly Json[]) : [given];

const texts = (values: readonly (Json | undefined)[]): readonly string[] =>
  values.filter((value) => typeof value === 'string').filter((value) => value !== '');

/** The last name in a pointer such as `#/Boot/BootSourceOverrideTarget` or `/TransferProtocolType`. */
const propertyName = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

/** The reason when the body names none: the status, and the body's text unless that is an HTML page or a JSON object. */
const shortReason = (status: number, bytes: Buffer): string => {
  const plain = bytes.toString('utf8', 0, redfishLimits.reasonCharacters).trim();
  return plain === '' || plain.startsWith('<') || plain.startsWith('{')
    ? `HTTP status ${status}`
    : `HTTP status ${status}, ${plain.slice(0, 200)}`;
};
