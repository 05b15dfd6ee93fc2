// References to other options inside a value, as oslo.config writes them.

const NAME = String.raw`[a-z_]\w*(?:\.[a-z_]\w*)?`;
const REFERENCE = new RegExp(String.raw`\$\$|\\\$|\$(${NAME})|\$\{(${NAME})\}`, 'gi');

/**
 * Replaces `$name`, `${name}`, `$section.name` and `${section.name}` by what `textOf` gives for the name; `$$` and `\$`
 * are a dollar sign. A dollar sign that no name follows stays.
 */
export function interpolate(text: string, textOf: (reference: string) => string): string {
  return text.replace(REFERENCE, (_, bare: string | undefined, braced: string | undefined) => {
    const reference = bare ?? braced;
    return reference === undefined ? '$' : textOf(reference);
  });
}

/** The text that `interpolate` turns into `text`. */
export const withoutReferences = (text: string) => text.replaceAll('$', String.raw`\$`);
