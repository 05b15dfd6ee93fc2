// Reads server-sent events. The data of each event are a JSON object on one line.
import { isJsonObject, type JsonObject } from '../../../../model/json.ts';

/** The limit is longer than any event of the daemon. */
const LONGEST_LINE = 1_048_576;

/** Returns a function that takes a piece of the stream. Its promise resolves when the events that end in the piece are handled. */
export function eventReader(onEvent: (event: JsonObject) => Promise<void>) {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let length = 0;
  return async (piece: Uint8Array): Promise<void> => {
    const [first = '', ...lines] = decoder.decode(piece, { stream: true }).split('\n');
    rest.push(first);
    length += first.length;
    if (length > LONGEST_LINE) throw new Error('the daemon sends an event that is too long');
    for (const next of lines) {
      const line = rest.join('');
      [rest, length] = [[next], next.length];
      const event: unknown = line.startsWith('data: ') ? JSON.parse(line.slice('data: '.length)) : undefined;
      if (isJsonObject(event)) await onEvent(event);
    }
  };
}
