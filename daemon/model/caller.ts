// The sender of a request.
import type { Role } from './roles.ts';

/** The sender of a request, for the log and the node's history. */
export interface Caller {
  readonly requestId: string;
  readonly user: string | null;
  readonly role: Role;
  /** Where the request came from; null for a Unix socket. */
  readonly address: string | null;
  /** The id of the session of the page that the sender uses; not set for other logins. */
  readonly session?: string;
}
