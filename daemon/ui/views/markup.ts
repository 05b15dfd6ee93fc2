// What views are made of. `html` escapes every value that is not markup itself.
import { html } from 'hono/html';

export { html };
export type Markup = ReturnType<typeof html>;

/** Shows an absolute time, together with its machine-readable form. */
export const timeOf = (iso: string | null): Markup =>
  iso === null ? html`` : html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`;

/** Returns a text such as `40 s`, `12 min`, `3 h` or `5 d`. */
export function durationText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
