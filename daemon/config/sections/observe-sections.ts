// The page for browsers, metrics, sensor data, webhooks, the events of the daemon and of BMCs, and standby hosts.
import { typed } from '../../lib/json/typed-schema.ts';
import { flag, integer, list, networks, pathOrNull, seconds, section, textOrNull } from './typed-options.ts';

export const observeSections = {
  ui: section({
    enabled: flag(
      true,
      'Whether the daemon shows its page for browsers at /ui/. Browsers that ask for / are redirected there; the page needs the same login as the API.',
    ),
    site_name: textOrNull(
      'The name of the site, shown in the head of every page and in the titles of windows. Not set: the name of the host.',
    ),
    kit: flag(false, 'Whether /ui/kit shows every component of the pages, for those who change the pages.'),
    session_lifetime: seconds(
      604_800,
      60,
      'How long after signing in people must sign in again, in seconds.',
    ),
    session_idle_time: seconds(
      43_200,
      60,
      'How long after the last use of the page people must sign in again, in seconds. A page that refreshes itself is not in use.',
    ),
  }),
  metrics: section({
    allow_from: networks(
      'The networks from which /metrics and /metrics/nodes may be read without a login, as in 192.0.2.10/32; for Prometheus. Empty: reading them needs the same login as the API.',
    ),
  }),
  events: section({
    keep: integer(
      20_000,
      { minimum: 1000, maximum: 1_000_000 },
      'How many events are kept for streams and webhooks that are behind; each takes 2 to 4 KiB in the database.',
    ),
  }),
  standby: section({
    peers: list(
      [],
      "The URLs of the API on the other hosts of this site, such as http://10.0.0.2:6385; each host names the others. The daemon does not start while another host serves the same or a newer generation of this site's database, and stops within half a minute when one serves a newer generation. A restore, or the first use of a copy, begins a new generation. Needs key_file. Empty: none.",
    ),
    key_file: pathOrNull(
      'The file with the key that the hosts of this site share, at least 32 characters. Each host proves with it that it belongs to the site. Not set: no peer is asked or believed. Other users of this host must not have access to it.',
    ),
  }),
  webhooks: section({
    urls: list(
      [],
      'The URLs to which the daemon sends, by POST, each event whose priority is at least [webhooks] level. Events are sent in order and signed with secret_file. An event that cannot be delivered is sent again for up to a day. Empty: none.',
    ),
    secret_file: pathOrNull(
      'The file with the secret that signs webhooks, needed with urls: whsec_ and base64 of 24 to 64 bytes, as the Standard Webhooks libraries take it. Other users of this host must not have access to it.',
    ),
    level: typed<'info' | 'error'>({
      type: 'string',
      enum: ['info', 'error'],
      default: 'info',
      description: 'The lowest priority of events that are sent.',
    }),
  }),
  sensor_data: section({
    send_sensor_data: flag(
      false,
      'Whether the sensors of nodes are read, for /metrics/nodes and for the events hardware.<driver>.metrics. A new reading of a node replaces its previous event.',
    ),
    interval: seconds(600, 1, 'Seconds from the end of one reading of all nodes to the start of the next.'),
    workers: integer(4, { minimum: 1, maximum: 100 }, 'How many nodes are read at the same time.'),
    wait_timeout: seconds(
      300,
      1,
      'How long a reading of all nodes may take before it leaves out the nodes that it has not begun to read, in seconds. The next reading begins with those.',
    ),
    data_types: list(
      ['ALL'],
      'The types of sensors, as in Temperature,Fan,Power,Drive; ALL for all that a BMC has. Case does not matter.',
    ),
    enable_for_undeployed_nodes: flag(
      false,
      'Whether the sensors of nodes in every provision state are read. Off: only those of active nodes.',
    ),
  }),
  bmc_events: section({
    enabled: flag(
      false,
      'Whether the daemon subscribes to the events of BMCs that can send them. An event appears in the timeline of the node, and the daemon reads the power state and health of the machine soon afterwards. Power states are polled as before.',
    ),
    url: textOrNull(
      'Where BMCs reach the API or the ramdisk listener, as in https://10.0.0.1:6385. Not set: the URL that ramdisks get. Most BMCs accept only https with a certificate that they trust.',
    ),
    interval: seconds(
      600,
      1,
      'Seconds between two checks that a BMC still has its subscription, which it may lose when it restarts.',
    ),
  }),
};
