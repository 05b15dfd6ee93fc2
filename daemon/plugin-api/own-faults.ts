// Faults that a plugin defines.
import { Fault, type ParametersOf } from '../model/fault.ts';
import { faultTable } from '../model/faults.ts';

/** The HTTP statuses of faults that plugins define. */
const ownStatuses = [400, 403, 404, 409, 500, 503] as const;

/**
 * Defines a fault of a plugin: `const doorOpen = defineFault('DoorOpen', 409, 'The door of node {node} is open.')`, then `throw
 * doorOpen({ node: task.node.uuid })`. Throws an Error when the daemon already has a fault with this code, when the code is not 3
 * to 64 letters and digits in PascalCase, or when the status is none of 400, 403, 404, 409, 500 and 503.
 */
export function defineFault<const Sentence extends string>(
  code: string,
  status: (typeof ownStatuses)[number],
  sentence: Sentence,
): (parameters: ParametersOf<Sentence>, options?: ErrorOptions) => Fault {
  if (faultTable.some((known) => known.code === code) || !/^[A-Z][A-Za-z0-9]{2,63}$/.test(code))
    throw new Error(`the fault ${code}: expected a code in PascalCase that no fault of the daemon has`);
  if (!ownStatuses.includes(status))
    throw new Error(`the fault ${code}: its status is ${status}; expected one of ${ownStatuses.join(', ')}`);
  return (parameters, options) => new Fault({ code, status, sentence }, parameters, options);
}
