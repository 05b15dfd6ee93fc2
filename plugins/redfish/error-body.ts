// Reads why a BMC has refused a request.
import { type HttpReply, isJsonObject, type Json, type JsonObject } from '#plugin-api';

export interface Refusal {
  /** The last part of the message's identifier, as in `ActionNotSupported`. */
  readonly message: string;
  readonly reason: string;
}

const SEVERITIES = ['Critical', 'Warning'];

/** Returns the gravest of the messages in the body of an error. */
export function refusalIn({ status, bytes }: HttpReply): Refusal {
  const { error } = objectIn(bytes.toString('utf8'));
  if (!isJsonObject(error)) return { message: 'no message', reason: `HTTP status ${status}` };
  const chosen = gravest(error['@Message.ExtendedInfo']);
  const identifier = textIn(chosen['MessageId']) ?? textIn(error['code']) ?? 'no message';
  return {
    message: identifier.split('.').at(-1) ?? identifier,
    reason: textIn(chosen['Message']) ?? textIn(error['message']) ?? `HTTP status ${status}`,
  };
}

function gravest(given: Json = []): JsonObject {
  // some BMCs send one object instead of a list
  const infos = (Array.isArray(given) ? (given as readonly Json[]) : [given]).filter(isJsonObject);
  const found = SEVERITIES.map((severity) => infos.find((info) => severityOf(info) === severity));
  return found.find((info) => info !== undefined) ?? infos[0] ?? {};
}

const severityOf = (info: JsonObject) => info['MessageSeverity'] ?? info['Severity'];

const textIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 1000) : undefined;

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
