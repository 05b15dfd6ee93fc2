// /healthcheck, for load balancers: needs no authentication and no API version.
import type { Answer } from './fault-response.ts';

export function healthAnswer(accept: string | undefined): Answer {
  const isJson = /\bapplication\/json\b/i.test(accept ?? '');
  return {
    status: 200,
    text: isJson ? JSON.stringify({ detailed: false, reasons: [] }) : '<html><body><p>OK</p></body></html>',
    headers: { 'content-type': isJson ? 'application/json' : 'text/html' },
  };
}
