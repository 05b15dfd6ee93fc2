// Kernel command lines for boot scripts, whose languages give white space, quotes, `$`, `{` and `;` a meaning.
import { fault } from '../../model/faults.ts';
import type { KernelParameters } from '../../model/machine/kernel-parameters.ts';

// Only characters without a meaning to boot loaders. iPXE interprets ${...}, && and ||; GRUB interprets ; $ ' " { } and \
const NAME = /^[A-Za-z0-9_.-]+$/;
const VALUE = /^[A-Za-z0-9_.,:/@%+=~?-]*$/;
const LONGEST = 2048;

/**
 * Returns the parameters as text: words in their order, `NAME` or `NAME=VALUE`. Throws InvalidParameter for a name or value
 * with characters that a boot loader could interpret, and for too long a text; `source` says where the parameters are from.
 */
export function commandLine(parameters: KernelParameters, source: string): string {
  const words = Object.entries(parameters).map(([name, value]) => {
    if (!NAME.test(name))
      throw refused(source, `${JSON.stringify(name)} is not a name of letters, digits, _ . and -`);
    if (value !== null && !VALUE.test(value))
      throw refused(
        source,
        `the value of ${name}, ${JSON.stringify(value)}, has characters that a boot loader could interpret; allowed are letters, digits and _.,:/@%+=~?-`,
      );
    return value === null ? name : `${name}=${value}`;
  });
  const text = words.join(' ');
  if (text.length > LONGEST)
    throw refused(source, `the kernel command line has ${text.length} characters; at most ${LONGEST} fit`);
  return text;
}

const refused = (source: string, reason: string) => fault('InvalidParameter', { name: source, reason });
