// Finds the kernel parameters with which a machine boots from a CD image: reads the image up to the line that starts the kernel.
import { fetchedToBoot, parametersIn } from './network-boot.ts';

const START = 'linux /kernel ';
/** How much of the text before a chunk is kept. A line that begins earlier and ends in the chunk is not recognised. */
const LONGEST = 4096;

/**
 * Returns the kernel parameters; undefined when there is no such image, or no line in it starts the kernel. Rejects when the
 * image cannot be read now.
 */
export async function cdParameters(url: string): Promise<URLSearchParams | undefined> {
  const answer = await fetchedToBoot(url);
  if (!answer.ok || answer.body === null) return undefined;
  let text = '';
  for await (const chunk of answer.body) {
    text = text.slice(-LONGEST) + Buffer.from(chunk).toString('latin1');
    const line = wholeLine(text);
    if (line !== undefined) return parametersIn(line);
  }
  return undefined;
}

function wholeLine(text: string): string | undefined {
  const start = text.indexOf(START);
  const end = start === -1 ? -1 : text.indexOf('\n', start);
  return end === -1 ? undefined : text.slice(start, end);
}
