// A fault: an error with an HTTP status and a sentence for the client.

type ParametersIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersIn<Rest>
  : never;
/** A value for each name in braces in the sentence. */
export type ParametersOf<Sentence extends string> = Readonly<Record<ParametersIn<Sentence>, string | number>>;
/** An error that the API reports to the client with its own status and sentence. */
export class Fault extends Error {
  override readonly name = 'Fault';
  /** A code of the tables in model/fault-tables, or one that a plugin has defined. */
  readonly code: string;
  readonly status: number;
  /** The values that were filled into the sentence. */
  readonly parameters: Readonly<Record<string, string | number>>;

  constructor(kind: FaultKind, parameters: Fault['parameters'], options?: ErrorOptions) {
    super(
      kind.sentence.replace(/\{(\w+)\}/g, (_, name: string) => shortened(String(parameters[name]))),
      options,
    );
    this.code = kind.code;
    this.status = kind.status;
    this.parameters = parameters;
  }
}

/** Status and sentence by code. */
export type FaultSentences = Readonly<Record<string, readonly [status: number, sentence: string]>>;

export interface FaultKind {
  readonly code: string;
  readonly status: number;
  readonly sentence: string;
}

// quoted values often come from clients, and every fault is logged, so their length is limited
const shortened = (text: string) => (text.length > 4096 ? `${text.slice(0, 4096)}...` : text);

/**
 * Returns what was thrown; an Error in its place if it cannot be examined: it may have a getter that throws, be a revoked proxy, or
 * have no text. Call this before anything else with what foreign code has thrown.
 */
export function examinable(thrown: unknown): unknown {
  try {
    if (hasText(thrown) && (!(thrown instanceof Error) || hasText(thrown.cause))) return thrown;
  } catch {
    // see below
  }
  return new Error('what was thrown cannot be read: it is a revoked proxy, or one of its members throws');
}

/** Throws what the value throws when it is examined. */
function hasText(value: unknown): boolean {
  const texts: readonly unknown[] =
    value instanceof Error
      ? [value.name, value.message, value.stack ?? '', String(Reflect.get(value, 'code'))]
      : [String(value)];
  return texts.every((text) => typeof text === 'string');
}

/** Returns the message of anything that was thrown. Adds the cause to `fetch failed`, which says nothing by itself. */
export function reasonOf(error: unknown): string {
  const known = examinable(error);
  if (!(known instanceof Error)) return String(known);
  const { message, cause } = known;
  if (message !== 'fetch failed' || !(cause instanceof Error)) return message;
  // when all addresses of a host name were tried, the cause has one error for each address, and no message
  return `fetch failed: ${cause.message || String(Reflect.get(cause, 'code'))}`;
}
