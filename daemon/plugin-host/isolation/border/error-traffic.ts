// Sends errors across the border as data. An error that comes back to the side that threw it is the same object again.
import { examinable, Fault, faultTable, reasonOf } from '../../../model/faults.ts';
import { RecentMap } from '../../../lib/limits/recent-map.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import { InspectionError } from '../../../plugin-api/hooks.ts';

const LONGEST_TEXT = 16_384;
/** How many errors of this side are remembered. An older error that comes back is a copy. */
const REMEMBERED = 1000;

export class ErrorTraffic {
  readonly #sent = new RecentMap<number, unknown>(REMEMBERED);
  readonly #received = new WeakMap<object, number>();
  #last = 0;

  encoded(thrown: unknown): JsonObject {
    const error = examinable(thrown);
    const back = typeof error === 'object' && error !== null ? this.#received.get(error) : undefined;
    this.#last += 1;
    this.#sent.set(this.#last, error);
    return { ...describedError(error), id: this.#last, ...(back !== undefined && { back }) };
  }

  decoded(wire: unknown): unknown {
    if (!isJsonObject(wire)) return new Error('the other side sent no description of the error');
    const own = this.#sent.get(Number(wire['back']));
    if (own !== undefined) return own;
    const error = revived(wire);
    this.#received.set(error, Number(wire['id']));
    return error;
  }
}

const cut = (value: unknown): string => (typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : '');

function describedError(error: unknown): JsonObject {
  if (error instanceof Fault) {
    const { code, status, message, parameters } = error;
    return { kind: 'fault', code, status, message: cut(message), parameters };
  }
  if (error instanceof InspectionError) return { kind: 'inspection', message: cut(error.message) };
  if (error instanceof Error)
    return { kind: 'other', name: cut(error.name), message: cut(reasonOf(error)), stack: cut(error.stack) };
  return { kind: 'other', name: 'Error', message: cut(String(error)), stack: '' };
}

function revived(wire: JsonObject): Error {
  const message = cut(wire['message']);
  if (wire['kind'] === 'fault') return revivedFault(wire, message);
  if (wire['kind'] === 'inspection') return new InspectionError(message);
  const error = new Error(message);
  error.name = cut(wire['name']);
  error.stack = cut(wire['stack']);
  return error;
}

/** A fault whose code is in the daemon's table gets its status from that table, not from the other side. */
function revivedFault({ code, status, parameters }: JsonObject, message: string): Error {
  const known = faultTable.find((one) => one.code === code);
  const own = Number.isInteger(status) && Number(status) >= 400 && Number(status) < 600;
  if (typeof code !== 'string' || !/^[A-Z][A-Za-z0-9]{2,63}$/.test(code) || !(own || known))
    return new Error(message);
  const fault = new Fault(
    { code, status: known?.status ?? Number(status), sentence: '' },
    Object.fromEntries(
      Object.entries(isJsonObject(parameters) ? parameters : {}).map(([name, value]) => [
        name,
        typeof value === 'number' ? value : cut(value),
      ]),
    ),
  );
  fault.message = message;
  return fault;
}
