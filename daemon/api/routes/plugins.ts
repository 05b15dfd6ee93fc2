// /v1/plugins: lists the plugins of the running daemon with the state of their processes, and the folders that were set aside,
// which the daemon does not use, with the reason for each. Also reloads a plugin.
import { type Route, route } from '../../http/route.ts';
import { listSchema, orNull, textSchema, wholeSchema } from '../../http/schema-parts.ts';
import type { Services } from '../../conductor/services.ts';

const countSchema = { type: 'integer', minimum: 0 } as const;

const pluginSchema = wholeSchema(
  {
    name: textSchema,
    version: textSchema,
    folder: textSchema,
    process: { type: 'string', enum: ['none', 'running', 'not running'] },
    ends: countSchema,
    last_end: orNull(textSchema),
  },
  'Plugin',
);
const asideSchema = wholeSchema({ folder: textSchema, reason: textSchema }, 'PluginSetAside');

export const pluginRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/plugins',
    since: 1,
    answers: { 200: wholeSchema({ plugins: listSchema(pluginSchema), set_aside: listSchema(asideSchema) }) },
    handler: ({ services: { plugins } }) => ({
      status: 200,
      body: { plugins: plugins.states.map(shown), set_aside: plugins.setAside },
    }),
  }),
  route({
    method: 'POST',
    path: '/v1/plugins/:plugin/reload',
    since: 1,
    answers: { 200: wholeSchema({ name: textSchema, version: textSchema, replaced: orNull(textSchema) }) },
    async handler({ services: { plugins }, parameters }) {
      const { plugin, replaced } = await plugins.reload(parameters['plugin'] ?? '');
      const { name, version } = plugin.manifest;
      return { status: 200, body: { name, version, replaced: replaced ?? null } };
    },
  }),
];

function shown({ plugin: { folder, manifest }, health }: Services['plugins']['states'][number]) {
  return {
    name: manifest.name,
    version: manifest.version,
    folder,
    process: health === undefined ? 'none' : runningText(health),
    ends: health?.ends ?? 0,
    last_end: health?.reason ?? null,
  };
}

const runningText = ({ isRunning }: { readonly isRunning: boolean }): string =>
  isRunning ? 'running' : 'not running';
