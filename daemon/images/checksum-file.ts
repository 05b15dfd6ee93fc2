// Finds the checksum of an image in a checksum file, as distributions publish them: SHA256SUMS, CHECKSUM, image.sha256.
import { type Checksum, parseChecksum } from '../model/machine/image-checksum.ts';

/**
 * Returns the checksum of the file `name`; undefined when `text` has none. `text` is a single digest, or has lines of the form
 * `DIGEST NAME` (GNU) or `SHA256 (NAME) = DIGEST` (BSD). Other lines are ignored.
 */
export function checksumOf(name: string, text: string): Checksum | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const [only = ''] = lines;
  if (lines.length === 1 && !only.includes(' ')) return parseChecksum(only);
  for (const line of lines) {
    const found = inLine(name, line);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inLine(name: string, line: string): Checksum | undefined {
  const separator = ` (${name}) = `;
  const at = line.indexOf(separator);
  if (at !== -1) return parseChecksum(`${line.slice(0, at)}:${line.slice(at + separator.length)}`);
  const digest = /^[0-9A-Fa-f]+/.exec(line)?.[0] ?? '';
  const rest = line.slice(digest.length);
  // a binary file has an asterisk in place of the second blank; some lists put ./ before each name
  const named = rest.trimStart().replace(/^\*/, '').replace(/^\.\//, '');
  return named === name && rest !== named ? parseChecksum(digest) : undefined;
}
