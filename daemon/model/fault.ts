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

/** Returns the message of anything that was thrown. Adds the cause to `fetch failed`, which says nothing by itself. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (message !== 'fetch failed' || !(cause instanceof Error)) return message;
  // when all addresses of a host name were tried, the cause has one error for each address, and no message
  return `fetch failed: ${cause.message || String(Reflect.get(cause, 'code'))}`;
}
