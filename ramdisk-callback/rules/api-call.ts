// The api-call action: sends a GET request to another service.
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '../../daemon/model/faults.ts';
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
  for (let retry = 0; retry < retries && isPassing(answer); retry += 1) {
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

const isPassing = (answer: Answer): boolean => typeof answer === 'string' || RETRIED.has(answer);

const numberOf = (value: Json | undefined, otherwise: number): number => {
  const number = Number(value ?? otherwise);
  return Number.isFinite(number) && number >= 0 ? number : otherwise;
};

function attempt(url: URL, options: JsonObject): Promise<Answer> {
  const secure = url.protocol === 'https:';
  const seconds = numberOf(options['timeout'], 5);
  const proxyEnv = proxiesOf(options['proxies']);
  return new Promise((resolve) => {
    const request = (secure ? requestHttps : requestHttp)(
      url,
      {
        headers: textsOf(options['headers']),
        agent: secure ? new HttpsAgent({ proxyEnv }) : new HttpAgent({ proxyEnv }),
        signal: AbortSignal.timeout(seconds * 1000),
      },
      (response) => {
        response.destroy();
        resolve(response.statusCode ?? 0);
      },
    );
    request.on('error', (error) =>
      resolve(
        error.name === 'TimeoutError' || error.name === 'AbortError'
          ? `no answer in ${seconds} s`
          : reasonOf(error),
      ),
    );
    request.end();
  });
}

const textsOf = (given: Json | undefined): Record<string, string> =>
  isJsonObject(given)
    ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, pythonText(value)]))
    : {};

/** Converts `{ https: 'http://proxy:3128' }` to proxy environment variables such as `HTTPS_PROXY`. */
const proxiesOf = (given: Json | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(textsOf(given)).map(([scheme, proxy]) => [`${scheme.toUpperCase()}_PROXY`, proxy]),
  );
