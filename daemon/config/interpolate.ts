// Replaces references to other options in a value, in the syntax of oslo.config.

const NAME = String.raw`[a-z_]\w*(?:\.[a-z_]\w*)?`;
const REFERENCE = new RegExp(String.raw`\$\$|\\\$|\$(${NAME})|\$\{(${NAME})\}`, 'gi');

/**
 * Replaces `$name`, `${name}`, `$section.name` and `${section.name}` by what `textOf` returns for the name; `$$` and
 * `\$` become a dollar sign. A dollar sign that is not followed by a name stays.
 */
export function interpolate(text: string, textOf: (reference: string) => string): string {
  return text.replace(REFERENCE, (_, bare: string | undefined, braced: string | undefined) => {
    const reference = bare ?? braced;
    return reference === undefined ? '$' : textOf(reference);
  });
}

/** Escapes `text` so that `interpolate` returns it unchanged. */
export const withoutReferences = (text: string) => text.replaceAll('$', String.raw`\$`);
