// The faults that tests and users can request from a simulated OneView appliance.

export type FaultAction =
  /** The request is not carried out, and its connection breaks. */
  | { readonly kind: 'reset' }
  /** The request is carried out, and its connection breaks before the reply. */
  | { readonly kind: 'drop reply' }
  | { readonly kind: 'hang'; readonly seconds: number }
  | { readonly kind: 'status'; readonly status: number; readonly code: string }
  | { readonly kind: 'bad json' }
  /** The request is not carried out, and something else, such as a proxy, answers. */
  | { readonly kind: 'other answer'; readonly status: number; readonly text: string }
  /** The reply names its task in the header `Location` only, as a whole URL if `isAbsolute`. */
  | { readonly kind: 'location only'; readonly isAbsolute: boolean }
  | { readonly kind: 'expired session' }
  | { readonly kind: 'stale etag' }
  /** Before the request is carried out, a OneView user assigns a profile to the server that the request's body names. */
  | { readonly kind: 'claim before' }
  | TaskFault;

/** What goes wrong with the task that a request begins. */
export type TaskFault =
  | { readonly kind: 'task error'; readonly code: string; readonly leavesProfile?: boolean }
  | { readonly kind: 'task warning' }
  | { readonly kind: 'task stuck' }
  | { readonly kind: 'task slow'; readonly factor: number }
  | { readonly kind: 'task lost' }
  /** While the task runs, a OneView user assigns a profile to the server. */
  | { readonly kind: 'claim during' };

export interface SimulatedFault {
  readonly method?: string;
  /** A part of the path. */
  readonly path?: string;
  /** How many requests the fault hits; 1 if absent. */
  readonly times?: number;
  /** The probability, from 0 to 1, that a matching request is hit; 1 if absent. `times` still limits the total. */
  readonly share?: number;
  readonly action: FaultAction;
}

export class Faults {
  readonly #random: () => number;
  #pending: { readonly fault: SimulatedFault; left: number }[] = [];

  /**
   * `random`: returns a number from 0 to below 1. A fault with a `share` hits a matching request if the number is below the
   * share.
   */
  constructor(random: () => number) {
    this.#random = random;
  }

  add(fault: SimulatedFault): void {
    this.#pending.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.#pending = [];
  }

  /** Returns the action of the first fault that hits this request, and counts the hit; undefined when no fault hits it. */
  next(method: string, path: string): FaultAction | undefined {
    const hit = this.#pending.find(
      ({ fault }) =>
        (fault.method ?? method) === method &&
        path.includes(fault.path ?? '') &&
        (fault.share === undefined || this.#random() < fault.share),
    );
    if (hit === undefined) return undefined;
    hit.left -= 1;
    if (hit.left <= 0) this.#pending = this.#pending.filter((one) => one !== hit);
    return hit.fault.action;
  }
}

export const isTaskFault = (action: FaultAction | undefined): action is TaskFault =>
  action !== undefined && (action.kind.startsWith('task ') || action.kind === 'claim during');
