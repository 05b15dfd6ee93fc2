// The verbs of phases that the daemon does not have yet: it refuses them, and says so. A phase that comes leaves this list.

interface Refusal {
  /** The node's, in which the verb is given. */
  readonly state: 'manageable' | 'available';
  readonly message: RegExp;
}

const missing = (verb: string) => new RegExp(`does not support ${verb}`);
const impossible = (verb: string) =>
  new RegExp(`"${verb}.*" can not be performed on node .* while it is in state .*"available`);

export const phasesToCome = {
  adopt: { state: 'manageable', message: missing('adopt') },
  clean: { state: 'manageable', message: missing('clean') },
  active: { state: 'available', message: missing('active') },
  // nothing leads to the states that these start from yet
  rebuild: { state: 'available', message: impossible('rebuild') },
  deleted: { state: 'available', message: impossible('deleted') },
  rescue: { state: 'available', message: impossible('rescue') },
  unrescue: { state: 'available', message: impossible('unrescue') },
  service: { state: 'available', message: impossible('service') },
  unhold: { state: 'available', message: impossible('unhold') },
} as const satisfies Readonly<Record<string, Refusal>>;

export type VerbToCome = keyof typeof phasesToCome;
