// Faults that a test injects: answers that differ from the BMC's own, cut connections, and requests that never get an answer.
import type { JsonObject } from '../../model/json.ts';

export interface InjectedFault {
  /** Not set: every method. */
  readonly method?: string;
  /** A part of the path; not set: every path. */
  readonly path?: string;
  /** `path` is the whole path. */
  readonly isWholePath?: boolean;
  /** How many requests meet the fault. Not set: one. */
  readonly times?: number;
  /**
   * `answer`: this answer is sent instead. `cut`: the connection is closed. `silence`: nothing is ever sent. `half`: only the first
   * half of the BMC's answer is sent, then the connection is closed. `late`: the BMC answers when `until` has resolved.
   */
  readonly does:
    | {
        readonly kind: 'answer';
        readonly status: number;
        readonly body?: JsonObject;
        readonly text?: string;
        readonly headers?: Readonly<Record<string, string>>;
      }
    | { readonly kind: 'cut' }
    | { readonly kind: 'silence' }
    | { readonly kind: 'half' }
    | { readonly kind: 'late'; readonly until: () => Promise<unknown> };
  /** The BMC first carries out the request, and then misbehaves. */
  readonly afterObeying?: true;
}

export class InjectedFaults {
  #faults: { readonly fault: InjectedFault; left: number }[] = [];

  add(fault: InjectedFault): void {
    this.#faults.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.#faults = [];
  }

  /** Returns the fault that the request meets, and counts the request; undefined if it meets none. */
  meet(method: string, path: string): InjectedFault | undefined {
    const found = this.#faults.find(
      ({ fault, left }) => left > 0 && (fault.method ?? method) === method && concerns(fault, path),
    );
    if (found === undefined) return undefined;
    found.left -= 1;
    return found.fault;
  }
}

const concerns = ({ path: wanted = '', isWholePath = false }: InjectedFault, path: string): boolean =>
  isWholePath ? path === wanted : path.includes(wanted);
