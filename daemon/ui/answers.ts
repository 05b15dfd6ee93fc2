// The answers of the pages for browsers: HTML, redirects, files and text, all under a strict content security policy.
import type { Answer } from '../http/answer.ts';
import type { Markup } from './kit/markup.ts';

/** The only Trusted Types policy is `fragments`: page.js uses it for HTML from this service and for the path of stream.js. */
const SECURITY = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types fragments',
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

export async function htmlAnswer(markup: Markup, status = 200): Promise<Answer> {
  return {
    status,
    content: String(await markup),
    headers: { ...SECURITY, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  };
}

export const redirect = (location: string, status: 302 | 303): Answer => ({
  status,
  content: null,
  headers: { ...SECURITY, location, vary: 'Accept' },
});

/** A file whose path contains a hash of its content; browsers may therefore keep it. */
export const fileAnswer = ({ type, text }: { readonly type: string; readonly text: string }): Answer => ({
  status: 200,
  content: text,
  headers: { ...SECURITY, 'content-type': type, 'cache-control': 'private, max-age=31536000, immutable' },
});

export const textAnswer = (content: string): Answer => ({
  status: 200,
  content,
  headers: { ...SECURITY, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
});

/** For a module of the pages. */
export const jsonAnswer = (content: object): Answer => ({
  status: 200,
  content: JSON.stringify(content),
  headers: { ...SECURITY, 'content-type': 'application/json', 'cache-control': 'no-store' },
});

/** A file that the browser saves. */
export const downloadAnswer = (name: string, type: string, content: Answer['content']): Answer => ({
  status: 200,
  content,
  headers: {
    ...SECURITY,
    'content-type': type,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    'cache-control': 'no-store',
  },
});
