// The version documents at / and /v1, which tell clients the API versions that the service supports.
import { MAXIMUM_MINOR, MINIMUM_MINOR, versionText } from '../../model/microversions.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import {
  linkPair,
  linksSchema,
  listSchema,
  objectSchema,
  textSchema,
  versioned,
  wholeSchema,
} from '../../http/schema-parts.ts';

/** The resources linked from /v1, each with the minor API version that introduced it. */
const RESOURCES = [
  ['chassis', 1],
  ['nodes', 1],
  ['ports', 1],
  ['drivers', 1],
  ['lookup', 22],
  ['heartbeat', 22],
  ['portgroups', 23],
  ['volume', 32],
  ['conductors', 49],
  ['allocations', 52],
  ['events', 54],
  ['deploy_templates', 55],
  ['shards', 82],
  ['continue_inspection', 84],
  ['runbooks', 92],
  ['inspection_rules', 96],
] as const;

const entrySchema = wholeSchema(
  {
    id: textSchema,
    links: linksSchema,
    status: textSchema,
    min_version: textSchema,
    version: textSchema,
  },
  'Version',
);
const always = {
  id: textSchema,
  links: linksSchema,
  media_types: wholeSchema({ base: textSchema, type: textSchema }),
  version: entrySchema,
};
const versionSchema = objectSchema(
  {
    ...always,
    ...Object.fromEntries(RESOURCES.map(([name, minor]) => [name, versioned(minor, linksSchema)])),
  },
  Object.keys(always),
);

export const versionDocumentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/',
    since: 1,
    public: true,
    body: 'ignored',
    answers: {
      200: wholeSchema({
        name: textSchema,
        description: textSchema,
        default_version: entrySchema,
        versions: listSchema(entrySchema),
      }),
    },
    handler: root,
  }),
  route({
    method: 'GET',
    path: '/v1',
    since: 1,
    public: true,
    body: 'ignored',
    answers: { 200: versionSchema },
    handler: versionOne,
  }),
];

const versionEntry = (baseUrl: string) => ({
  id: 'v1',
  links: [{ href: `${baseUrl}/v1/`, rel: 'self' }],
  status: 'CURRENT',
  min_version: versionText(MINIMUM_MINOR),
  version: versionText(MAXIMUM_MINOR),
});

function root({ baseUrl }: ApiRequest): Reply {
  const entry = versionEntry(baseUrl);
  return {
    status: 200,
    body: {
      name: 'OpenStack Ironic API',
      description:
        'Bare metal provisioning by ironic-edge: enrol, inspect, clean and deploy physical machines.',
      default_version: entry,
      versions: [entry],
    },
  };
}

function versionOne({ baseUrl, minor }: ApiRequest): Reply {
  const resourceLinks = RESOURCES.filter(([, since]) => minor >= since).map(([name]) => [
    name,
    linkPair(baseUrl, `${name}/`),
  ]);
  return {
    status: 200,
    body: {
      id: 'v1',
      links: [
        { href: `${baseUrl}/v1/`, rel: 'self' },
        {
          href: 'https://docs.openstack.org/ironic/latest/contributor/webapi.html',
          rel: 'describedby',
          type: 'text/html',
        },
      ],
      media_types: { base: 'application/json', type: 'application/vnd.openstack.ironic.v1+json' },
      version: versionEntry(baseUrl),
      ...Object.fromEntries(resourceLinks),
    },
  };
}
