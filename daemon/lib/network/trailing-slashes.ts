// Prepares URLs for a path to be appended.

/** Takes time proportional to the length; a replacement of `/\/+$/` would take time proportional to its square. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
