// Loads the parts of undici that send requests, when the first request needs them.
import { createRequire } from 'node:module';
import type { buildConnector, Client, ProxyAgent } from 'undici';

const require = createRequire(import.meta.url);

// These two files are enough for requests without a proxy. The whole package loads fetch, WebSocket, caches and mocks
// too, in five times the time and memory (decision 0017)

export const loadClient = () => require('undici/lib/dispatcher/client.js') as typeof Client;

export const loadConnector = () => require('undici/lib/core/connect.js') as typeof buildConnector;

export const loadProxyAgent = () => (require('undici') as { ProxyAgent: typeof ProxyAgent }).ProxyAgent;
