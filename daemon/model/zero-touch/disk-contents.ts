// What an inspection found on the disks of a machine: the collector of the ramdisk names each disk that is not empty.
import { visibleLine } from '../../lib/plain-text.ts';
import { isJsonObject, type Json } from '../json.ts';

const MOST_SHOWN = 8;
const LONGEST = 80;

/** Returns `sda: gpt, 3 partitions` for each disk that is not empty; undefined when nothing has looked. The machine wrote the texts. */
export function disksWithData(stored: string | null | undefined): readonly string[] | undefined {
  const contents: Json = typeof stored === 'string' ? (JSON.parse(stored) as Json) : null;
  if (!isJsonObject(contents)) return undefined;
  return Object.entries(contents)
    .slice(0, MOST_SHOWN)
    .map(([disk, found]) =>
      visibleLine(`${disk}: ${typeof found === 'string' ? found : 'data'}`).slice(0, LONGEST),
    );
}
