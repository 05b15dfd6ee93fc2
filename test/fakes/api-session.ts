// A whole daemon on a port of its own with an empty database, and requests to it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Services } from '../../daemon/conductor/services.ts';
import { startDaemon } from '../../daemon/main.ts';

export interface ApiReply {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined without a body. */
  readonly body: unknown;
}

export interface ApiRequestOptions {
  /** Of the API; `latest` unless given, none sent when null. */
  readonly version?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiSession {
  request(method: string, path: string, options?: ApiRequestOptions): Promise<ApiReply>;
  readonly services: Services;
  stop(): Promise<void>;
}

/** `environment`: options as `IRONIC_SECTION__OPTION`. */
export async function startApiSession(
  environment: Readonly<Record<string, string>> = {},
): Promise<ApiSession> {
  const directory = await mkdtemp(path.join(tmpdir(), 'api-session-'));
  const daemon = await startDaemon({
    configFile: undefined,
    environment: { IRONIC_DEFAULT__STATE_PATH: directory, IRONIC_API__PORT: '0', ...environment },
    logLevel: 'silent',
  });
  return {
    services: daemon.services,
    async request(method, requestPath, { version = 'latest', body, headers } = {}) {
      const response = await fetch(`${daemon.url}${requestPath}`, {
        method,
        headers: {
          ...(version !== null && { 'x-openstack-ironic-api-version': version }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text ? JSON.parse(text) : undefined,
      };
    },
    async stop() {
      await daemon.stop();
      await rm(directory, { recursive: true });
    },
  };
}
