// An ironic-inspector with scripted answers that records its requests.
import type http from 'node:http';
import type { Ending } from '../daemon/in-process-daemon.ts';
import { answerJson, type Asked, scriptedAgent } from '../machines/scripted-agent.ts';

export interface ScriptedInspector {
  readonly url: string;
  /** One line for each request, as `GET introspection/1be2...`. */
  readonly lines: string[];
  readonly asked: readonly Asked[];
  /** The answer about the introspection of any node; undefined for an inspector that knows no nodes. */
  introspection: unknown;
  /** The introspection data; undefined for an inspector that stores none. */
  data: unknown;
  /** The requests whose line matches `at` get this answer instead. */
  trouble: { readonly at: RegExp; readonly answer: (response: http.ServerResponse) => void } | undefined;
}

export const refuse = (status: number, message: string) => (response: http.ServerResponse) =>
  answerJson(response, { error: { message } }, status);

export async function scriptedInspector(
  test: Ending,
  tls?: { readonly cert: string; readonly key: string },
): Promise<ScriptedInspector> {
  const lines: string[] = [];
  const answer = ({ method, path, query }: Asked, response: http.ServerResponse) => {
    const parameters = new URLSearchParams(query).toString();
    const line = `${method} ${path.replace('/v1/', '')}${parameters && `?${parameters}`}`;
    lines.push(line);
    const { introspection, data, trouble } = inspector;
    if (trouble?.at.test(line) === true) return trouble.answer(response);
    if (method === 'POST') return answerJson(response, {}, 202);
    const found = path.endsWith('/data') ? data : introspection;
    return found === undefined ? refuse(404, 'not found')(response) : answerJson(response, found);
  };
  const { url, asked } = await scriptedAgent(test, answer, tls);
  const inspector: ScriptedInspector = {
    url,
    lines,
    asked,
    introspection: { finished: false, error: null },
    data: undefined,
    trouble: undefined,
  };
  return inspector;
}
