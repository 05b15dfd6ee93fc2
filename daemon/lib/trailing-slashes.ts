// URLs that a path is put behind.

/** In time proportional to the length, which `/\/+$/` is not. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
