// What the BMC says of which machine this is: the labels in its FRU 0, and its GUID.
import type { MachineIdentity, Task } from '#plugin-api';
import { bmcFailure, outcomeOf } from '../ipmitool.ts';

const SERIALS = ['Product Serial', 'Chassis Serial', 'Board Serial'];

export async function identifyByIpmi(task: Task): Promise<MachineIdentity> {
  const labels = await fieldsOf(task, ['fru', 'print', '0']);
  const guid = await fieldsOf(task, ['mc', 'guid']);
  const product = ['Product Manufacturer', 'Product Name'].flatMap((name) => labels.get(name) ?? []);
  return {
    serialNumbers: SERIALS.flatMap((name) => labels.get(name) ?? []),
    uuids: [guid.get('System GUID') ?? []].flat(),
    // IPMI knows only the address of the BMC itself
    macs: [],
    product: product.length > 0 ? product.join(' ') : null,
  };
}

/** The lines `name : value` that the command prints; none when the BMC refuses it, as one without a FRU does. */
async function fieldsOf(task: Task, command: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const request = { operation: 'Reading which machine this is', command, confirmation: '' };
  const outcome = await outcomeOf(task, request);
  if (outcome.kind === 'refused') return new Map();
  if (outcome.kind !== 'obeyed') throw bmcFailure(task, request, outcome);
  return new Map(outcome.stdout.split('\n').flatMap(fieldIn));
}

function fieldIn(line: string): readonly (readonly [string, string])[] {
  const [name = '', ...rest] = line.split(':');
  const value = rest.join(':').trim();
  return value === '' ? [] : [[name.trim(), value]];
}
