// The simulated BMC's answers, and its refusals in Redfish's error format.
import type { JsonObject } from '../../model/json.ts';

export interface RedfishAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

interface Details {
  readonly args?: readonly string[];
  readonly related?: readonly string[];
  /** `error.code`; not set: the identifier of the message. */
  readonly code?: string;
}

/**
 * Returns an answer with an error in the body that Redfish defines for errors. `id`: the identifier of the message, as in
 * `Base.1.8.PropertyUnknown`.
 */
export function redfishRefusal(
  status: number,
  id: string,
  message: string,
  { args = [], related, code = id }: Details = {},
): RedfishAnswer {
  const info = {
    MessageId: id,
    Message: message,
    MessageArgs: args,
    Severity: 'Critical',
    ...(related && { RelatedProperties: related }),
  };
  return { status, body: { error: { code, message, '@Message.ExtendedInfo': [info] } } };
}

/** Thrown when the BMC refuses a request. */
export class Refused extends Error {
  readonly answer: RedfishAnswer;

  constructor(...details: Parameters<typeof redfishRefusal>) {
    super(details[2]);
    this.answer = redfishRefusal(...details);
  }
}

export const notFound = (path: string): Refused =>
  new Refused(404, 'Base.1.8.ResourceMissingAtURI', `${path} is not there`, { args: [path] });

export const notAllowed = (what: string): Refused =>
  new Refused(405, 'Base.1.8.OperationNotAllowed', `${what} is not allowed`);
