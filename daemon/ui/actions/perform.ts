// Sends one request for each chosen node, and keeps the results for the page that shows them.
import { randomUUID } from 'node:crypto';
import type { ApiCall, Visit } from '../../http/pages.ts';
import { RecentMap } from '../../lib/limits/recent-map.ts';
import type { ProvisionVerb } from '../../model/states/verbs.ts';

interface Result {
  readonly node: string;
  readonly status: number;
  /** Why the API refused the request; null when it accepted it. */
  readonly refusal: string | null;
}

export interface ActionOutcome {
  readonly action: string;
  /** The verb of provision requests; undefined for other requests. */
  readonly verb: ProvisionVerb | undefined;
  readonly user: string | null;
  readonly results: readonly Result[];
}

const KEPT = 200;

export class Outcomes {
  readonly #recent = new RecentMap<string, ActionOutcome>(KEPT);

  /** Returns the id of the kept outcome. */
  add(outcome: ActionOutcome): string {
    const id = randomUUID();
    this.#recent.set(id, outcome);
    return id;
  }

  /** Returns undefined for an unknown ID, and for a user who did not request the action. */
  of(id: string, user: string | null): ActionOutcome | undefined {
    const outcome = this.#recent.get(id);
    return outcome?.user === user ? outcome : undefined;
  }
}

/** Sends the requests one after the other, not all at once. `request`: makes that for a node and its place, from 0. */
export async function perform(
  { call }: Pick<Visit, 'call'>,
  request: (node: string, index: number) => ApiCall,
  nodes: readonly string[],
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [index, node] of nodes.entries()) {
    const response = await call(request(node, index));
    results.push({
      node,
      status: response.status,
      refusal: response.ok ? null : await refusalText(response),
    });
  }
  return results;
}

/** Resolves to the message in the API's error document, which is JSON inside JSON; to the whole body if it is no such document. */
export async function refusalText(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error_message: inner } = JSON.parse(text) as { readonly error_message?: string };
    const { faultstring } = JSON.parse(inner ?? '{}') as { readonly faultstring?: string };
    return faultstring ?? text;
  } catch {
    return text;
  }
}
