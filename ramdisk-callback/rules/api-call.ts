// The api-call action: sends a GET request to another service.
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../daemon/lib/clock.ts';
import { HttpClient } from '../../daemon/lib/http-client/http-client.ts';
import { failureReason } from '../../daemon/lib/http-client/http-failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../daemon/model/json.ts';
import { InspectionError } from '#plugin-api';
import { pythonText } from './python-text.ts';

const RETRIED: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** Throws InspectionError unless the service answers with 2xx. Redirects are not followed. */
export async function callApi(text: string, options: JsonObject): Promise<void> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InspectionError(`url: ${JSON.stringify(text)} is not an http or https URL`);
  }
  const retries = numberOf(options['retries'], 3);
  const pause = numberOf(options['backoff_factor'], 0.3) * 1000;
  let answer = await attempt(url, options);
  for (let retry = 0; retry < retries && isTemporary(answer); retry += 1) {
    await sleep(pause * 2 ** retry);
    answer = await attempt(url, options);
  }
  if (typeof answer === 'number' && answer >= 200 && answer < 300) return;
  throw new InspectionError(
    `GET ${url.origin}${url.pathname} failed: ${typeof answer === 'number' ? `HTTP ${answer}` : answer}`,
  );
}

/** The HTTP status, or why the request failed. */
type Answer = number | string;

const isTemporary = (answer: Answer): boolean => typeof answer === 'string' || RETRIED.has(answer);

const numberOf = (value: Json | undefined, otherwise: number): number => {
  const number = Number(value ?? otherwise);
  return Number.isFinite(number) && number >= 0 ? number : otherwise;
};

async function attempt(url: URL, options: JsonObject): Promise<Answer> {
  const proxy = textsOf(options['proxies'])[url.protocol.slice(0, -1)];
  const client = new HttpClient({
    url: url.href,
    ...(proxy !== undefined && { route: { kind: 'proxy', url: proxy } }),
    clock: systemClock,
  });
  try {
    const { status } = await client.send({
      url: url.href,
      headers: { accept: '*/*', ...textsOf(options['headers']) },
      timeoutSeconds: numberOf(options['timeout'], 5),
    });
    return status;
  } catch (error) {
    return failureReason(error);
  }
}

const textsOf = (given: Json | undefined): Record<string, string> =>
  isJsonObject(given)
    ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, pythonText(value)]))
    : {};
