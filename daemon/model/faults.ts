// Every error that the API reports, except the faults that plugins define, made from its code and the parameters of its sentence.
// The API turns failed database writes and aborted requests into faults too. Anything else that is thrown is a bug, and the API
// answers it with Internal, which says nothing about the cause.
import { Fault, type FaultKind, type ParametersOf } from './fault.ts';
import { failures } from './fault-tables/failures.ts';
import { refusals } from './fault-tables/refusals.ts';

export { examinable, Fault, reasonOf } from './fault.ts';

const table = { ...refusals, ...failures } as const;

export type FaultCode = keyof typeof table;

export type FaultParameters<C extends FaultCode> = ParametersOf<(typeof table)[C][1]>;

export function fault<C extends FaultCode>(
  code: C,
  parameters: FaultParameters<C>,
  options?: ErrorOptions,
): Fault {
  const [status, sentence] = table[code];
  return new Fault({ code, status, sentence }, parameters, options);
}

export const faultTable: readonly FaultKind[] = Object.entries(table).map(([code, [status, sentence]]) => ({
  code,
  status,
  sentence,
}));
