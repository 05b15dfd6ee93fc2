// What views are made of. `html` escapes every value that is not markup itself.
import { html, raw } from 'hono/html';

export { html };
export type Markup = ReturnType<typeof html>;

/** Markup that this project's own code or a package of it made; never a text from outside. */
export const trustedMarkup = (text: string): Markup => raw(text);

/** Shows an absolute time, together with its machine-readable form. */
export const timeOf = (iso: string | null): Markup =>
  iso === null ? html`` : html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`;

/** Shows how long ago a time was, such as `12 min ago`, with the exact time as tooltip. `now`: milliseconds since 1970. */
export function timeAgo(iso: string | null, now: number): Markup {
  if (iso === null) return html``;
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  const exact = `${iso.slice(0, 19).replace('T', ' ')} UTC`;
  const text = seconds < 5 ? 'just now' : `${durationText(seconds)} ago`;
  return html`<time datetime="${iso}" title="${exact}">${text}</time>`;
}

/** Returns a text such as `40 s`, `12 min`, `3 h` or `5 d`. */
export function durationText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Returns a text such as `96 bytes`, `12 kB` or `3.1 GB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const amount = bytes / 1000 ** power;
  return `${amount >= 10 || power === 0 ? Math.round(amount) : Number(amount.toFixed(1))} ${UNITS[power]}`;
}
