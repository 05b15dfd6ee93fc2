// The faults of conversations with BMCs, and what they tell.
import { Fault, failureReason, fault, HttpFailure, type HttpReply } from '#plugin-api';
import { type Refusal, refusalIn } from './error-body.ts';
import { isPassing, NOT_READY_SECONDS, secondsUntilReady } from './patience.ts';

/** What the messages of faults name. */
export interface About {
  readonly operation: string;
  readonly node: string;
  readonly address: string;
}

/** The refusal of a BMC, in the form of an Error that can be the cause of a fault. */
class RefusedByBmc extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

/** Why a single request gets no answer, while the BMC answers others, in the form of an Error that can be the cause of a fault. */
class AloneUnanswered extends Error {}

/** The demand of a BMC to change the password, in the form of an Error that can be the cause of a fault. */
class ChangeDemanded extends Error {
  /** The path of the account whose password must be changed; undefined when the BMC does not say. */
  readonly account: string | undefined;

  constructor({ reason, subjects }: Refusal) {
    super(reason);
    this.account = subjects.find((subject) => subject.startsWith('/'));
  }
}

/** Whether the BMC demands that the password is changed before anything else. */
export const demandsChange = ({ messages }: Refusal): boolean => messages.includes(CHANGE_REQUIRED);
const CHANGE_REQUIRED = 'PasswordChangeRequired';

/** The path of the account that the BmcPasswordChangeRequired `error` names; undefined for any other error. */
export function accountToChange(error: unknown): string | undefined {
  const cause = error instanceof Fault ? error.cause : undefined;
  return cause instanceof ChangeDemanded ? cause.account : undefined;
}

/**
 * The fault for an answer that is not a success: BmcPasswordChangeRequired, BmcCredentialsRefused, BmcNotReady or BmcRefused.
 */
export function refusedWith(about: About, reply: HttpReply): Fault {
  const refusal = refusalIn(reply);
  const { reason } = refusal;
  if (demandsChange(refusal))
    return fault(
      'BmcPasswordChangeRequired',
      { ...about, reason: plainEnd(reason) },
      { cause: new ChangeDemanded(refusal) },
    );
  if (reply.status === 401) return fault('BmcCredentialsRefused', { ...about, reason });
  const isStarting = [502, 503, 504].includes(reply.status);
  const seconds = secondsUntilReady(reply) ?? (isStarting ? NOT_READY_SECONDS : undefined);
  if (seconds === undefined) return refused(about, refusal);
  return fault('BmcNotReady', { ...about, reason, seconds }, { cause: new RefusedByBmc(refusal) });
}

const plainEnd = (reason: string): string => reason.replace(/\.$/, '');

export function refused(about: About, refusal: Refusal): Fault {
  const { status, reason, messages } = refusal;
  const [message = 'no message'] = messages;
  return fault('BmcRefused', { ...about, status, message, reason }, { cause: new RefusedByBmc(refusal) });
}

/** The fault for a request without a usable answer. `alone`: names the request if the BMC answers others. */
export function unanswered(about: About, error: HttpFailure, alone: string | undefined): Fault {
  const reason =
    error.kind === 'certificate'
      ? `${error.reason}. To trust its certificate, set driver_info/redfish_verify_ca to a file with the CA's certificate, or to false`
      : failureReason(error);
  if (alone === undefined) return fault('BmcFailure', { ...about, reason }, { cause: error });
  const cause = new AloneUnanswered(reason);
  return fault(
    'BmcFailure',
    { ...about, reason: `${alone}: ${reason}; it answers other requests` },
    { cause },
  );
}

/** Returns the refusal that caused the BmcRefused or BmcNotReady `error`; undefined for any other error. */
export function refusalOf(error: unknown): Refusal | undefined {
  const cause = error instanceof Fault ? error.cause : undefined;
  return cause instanceof RefusedByBmc ? cause.refusal : undefined;
}

/** Returns why a single request failed, while the BMC as a whole answers; undefined for any other error. */
export function reasonOfOne(error: unknown): string | undefined {
  const cause = error instanceof Fault ? error.cause : undefined;
  return cause instanceof RefusedByBmc || cause instanceof AloneUnanswered ? cause.message : undefined;
}

/** The kinds of failures that leave open whether the server has carried out the request. */
export const LOST: ReadonlySet<HttpFailure['kind']> = new Set(['closed', 'overdue', 'other']);

/** Whether the answer to a request was lost, so that nobody knows whether the BMC has carried it out. */
export function isLost(error: unknown): boolean {
  const cause = error instanceof Fault ? error.cause : undefined;
  return cause instanceof AloneUnanswered || (cause instanceof HttpFailure && LOST.has(cause.kind));
}

/** Whether the BMC may have carried out a request although its answer was lost, or shows a passing weakness. */
export const mayBeDone = (error: unknown): boolean =>
  isLost(error) || isPassing({ status: refusalOf(error)?.status ?? 0 });
