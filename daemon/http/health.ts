// /healthcheck, for load balancers: needs no authentication and no API version.
import type { Config } from '../config/sections/core-sections.ts';
import type { Answer, Endpoint } from './answer.ts';

/** Returns the endpoint, or none where [healthcheck] enabled is off. */
export const healthEndpoints = ({ healthcheck }: Pick<Config, 'healthcheck'>): readonly Endpoint[] =>
  healthcheck.enabled ? [{ path: '/healthcheck', isOpen: () => true, answer }] : [];

function answer({ headers }: Request): Answer {
  const isJson = /\bapplication\/json\b/i.test(headers.get('accept') ?? '');
  return {
    status: 200,
    content: isJson
      ? JSON.stringify({ detailed: false, reasons: [] })
      : '<html><body><p>OK</p></body></html>',
    headers: { 'content-type': isJson ? 'application/json' : 'text/html' },
  };
}
