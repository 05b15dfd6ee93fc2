// Every difference from OpenStack's own Ironic that is meant, with its reason. Any other is a fault of ours; one that no
// longer occurs is a fault of this list.
import { ABSENT } from './compare.ts';
import type { Release } from './ironic-process.ts';

export interface IntendedDifference {
  readonly reason: string;
  /** Of `METHOD /path body`. */
  readonly request: RegExp;
  /** Of `status`, `header location`, `body.nodes[].name`; of the status unless given. */
  readonly aspect?: RegExp;
  /** Any value unless given; a pattern of it, or the value itself. */
  readonly theirs?: unknown;
  /** Any value unless given; a pattern of it, or the value itself. */
  readonly ours?: unknown;
  /** The release of Ironic that differs; both unless given. */
  readonly only?: Release;
}

const errors: readonly IntendedDifference[] = [
  {
    reason: 'What the router refuses carries the version headers too: clients negotiate with them.',
    request: /./,
    aspect: /^header x-openstack-ironic-api-/,
    theirs: ABSENT,
  },
  {
    reason: 'There is one form of error document; clients know it, and fall back to it.',
    request: /./,
    aspect: /^body\.error_message$/,
    theirs: 'code description title',
    ours: 'Client debuginfo faultcode faultstring',
  },
  {
    reason: 'Error documents are JSON even for clients that would rather have HTML.',
    request: /^GET \/v1\/nodes$/,
    aspect: /^body\.error_message$/,
    theirs: '(not JSON)',
    ours: 'Client debuginfo faultcode faultstring',
  },
  {
    reason: 'What Ironic fails at with an internal error is done, or refused with a reason.',
    request: /./,
    theirs: 500,
  },
];

const documents: readonly IntendedDifference[] = [
  {
    reason: 'The version documents describe this daemon.',
    request: /^\w+ \/(\?unknown=1)?$/,
    aspect: /^body\.description$/,
  },
  {
    reason: 'The address of the documentation is written without doubled slashes.',
    request: /^GET \/v1\/?$/,
    aspect: /^body\.links\[\]\.href$/,
    theirs: 'https://docs.openstack.org//ironic/latest/contributor//webapi.html',
  },
  {
    reason: 'Ironic on SQLite has no heartbeat, and so calls its living conductor dead after a minute.',
    request: /^GET \/v1\/conductors/,
    aspect: /\.alive$/,
    theirs: false,
    ours: true,
  },
  {
    reason: 'Lists of portgroups show no field before its version, as their single documents do.',
    request: /^GET \/v1\/(nodes\/[^/]+\/)?portgroups\/detail$/,
    aspect: /^body\.portgroups\[\]\.(mode|properties|physical_network|category|dynamic_portgroup)$/,
    ours: ABSENT,
  },
  {
    reason: 'The traits of a runbook are part of it: setting them updates it.',
    request: /^GET \/v1\/runbooks/,
    aspect: /\.updated_at$/,
    theirs: null,
    ours: '(time)',
  },
  {
    reason: 'Links of inspection rules lead to where they are.',
    request: / \/v1\/inspection_rules/,
    aspect: /\.links\[\]\.href$|\.next$/,
  },
];

const methodsAndPaths: readonly IntendedDifference[] = [
  {
    reason: 'A method that a path does not have is 405, not a complaint about the body or the arguments.',
    request: /^(POST|PATCH|DELETE) /,
    theirs: 400,
    ours: 405,
  },
  {
    reason: 'Allow names the methods that this very path has.',
    request: /^(POST|PUT|PATCH|DELETE|GET) /,
    aspect: /^header allow$/,
  },
  {
    reason: 'What lies below a resource without items is not found, whatever the method.',
    request: /^\w+ \/v1\/(volume|shards|events|lookup|heartbeat|continue_inspection)\/[^?]/,
    theirs: 405,
    ours: 404,
  },
  {
    reason: 'Reports go to the one path that takes them.',
    request: /^POST \/v1\/(events|continue_inspection)\/[^?]/,
    theirs: 400,
    ours: 404,
  },
  {
    reason: 'A slash at the end does not count, here as elsewhere.',
    request: /^GET \/v1\/\w+\/detail\/$/,
    theirs: 404,
    ours: 200,
  },
  {
    reason: 'Doubled slashes do not count.',
    request: /^GET \/\/v1\/nodes$/,
    theirs: 400,
    ours: 200,
  },
  {
    reason: 'Paths with dot segments are resolved as the URL standard says.',
    request: /^GET \/v1\/nodes\/%2e%2e$/,
    theirs: 404,
    ours: 200,
  },
  {
    reason: 'A path below a record that leads nowhere is not found; Ironic looks for a field of that name.',
    request: /^GET \/v1\/(nodes\/[^/]+\/uuid|(chassis|inspection_rules|volume\/\w+)\/no-such-name\/unknown)$/,
    ours: 404,
  },
  {
    reason: 'A port that is not there is not found, whatever it is called.',
    request: /^DELETE \/v1\/ports\/no-such-name$/,
    theirs: 400,
    ours: 404,
  },
];

const lists: readonly IntendedDifference[] = [
  {
    reason: 'Pages of a list below another record stay there: the next page has the same filter.',
    request: /^GET \/v1\/(nodes|chassis|portgroups)\/[^/]+\/\w+/,
    aspect: /^body\.next$/,
  },
  {
    reason: 'A parameter that is too new for the request is refused for that, before its value is looked at.',
    request: /^GET \/v1\/nodes\?(sharded|include_children|driver)=/,
    theirs: 400,
    ours: 406,
  },
  {
    reason: 'Lists are sorted by what belongs to a record by way of another one too.',
    request: /^GET \/v1\/(nodes|ports)\?sort_key=(chassis_uuid|allocation_uuid|portgroup_uuid)$/,
    theirs: 400,
    ours: 200,
  },
  {
    reason: 'A parent is named by its UUID; Ironic takes a name and finds nothing.',
    request: /^GET \/v1\/nodes\?parent_node=node-1$/,
    theirs: 200,
    ours: 400,
  },
  {
    reason: 'A marker that is no UUID is malformed in every list.',
    request: /^GET \/v1\/(deploy_templates|runbooks|inspection_rules)\?marker=text$/,
    theirs: 404,
    ours: 400,
  },
  {
    reason: 'All filters of ports count; Ironic forgets the address beside a node.',
    request: /^GET \/v1\/ports\?node=[^&]+&address=/,
    aspect: /^body\.ports\.length$/,
  },
];

const creation: readonly IntendedDifference[] = [
  {
    reason: 'null is no value: it may stand for a field that the version does not know yet.',
    request: /^POST \/v1\/\w+ .*"\w+":null/,
    theirs: 406,
    ours: 201,
  },
  {
    reason:
      'A node or runbook may be created with an owner: there are no projects that would be at odds with it.',
    request: /^POST \/v1\/(nodes|runbooks) .*"owner":"/,
    theirs: 400,
    ours: 201,
  },
  {
    reason: 'A runbook keeps the owner that it was created with.',
    request: /^POST \/v1\/runbooks .*"owner":""/,
    aspect: /^body\.owner$/,
    theirs: null,
    ours: '',
  },
  {
    reason: 'A name by which a record could not be found again is refused.',
    request: /^POST \/v1\/(ports|allocations) .*"name":"/,
    theirs: 201,
    ours: 400,
  },
  {
    reason: 'An empty name of a portgroup is none.',
    request: /^POST \/v1\/portgroups .*"name":""/,
    aspect: /^body\.name$/,
    theirs: '',
    ours: null,
  },
  {
    reason:
      'A smart NIC without its connection is of no use; Ironic refuses that once there is a connection.',
    request: /^POST \/v1\/ports .*"is_smartnic":(true|"true")/,
    theirs: 201,
    ours: 400,
  },
  {
    reason: 'An identifier must not be empty, nor so long that it can not be stored elsewhere.',
    request:
      /^POST \/v1\/(portgroups|volume\/\w+) .*"(mode|physical_network|type|connector_id|volume_type|volume_id)":"(x{300})?"/,
    theirs: 201,
    ours: 400,
  },
  {
    reason: 'The UUID of an allocation is one: by another Ironic could not find it again.',
    request: /^POST \/v1\/allocations .*"uuid":"/,
    theirs: 201,
    ours: 400,
  },
  {
    reason: 'A field that is too new for the request is refused for that, whatever it holds.',
    request: /^POST \/v1\/(portgroups .*"properties":\{\}|runbooks .*"description":"text")/,
    ours: 406,
  },
  {
    reason: 'Rules may be written without conditions.',
    request: /^POST \/v1\/inspection_rules .*"conditions":null/,
    theirs: 400,
    ours: 201,
  },
];

const patches: readonly IntendedDifference[] = [
  {
    reason: 'The lock of an update is gone when the update is answered.',
    request: /^PATCH \/v1\/nodes\//,
    aspect: /^body\.reservation$/,
    theirs: 'lab-host',
    ours: null,
  },
  {
    reason: 'A patch that changes nothing is no update; Ironic notes the time of its lock.',
    request:
      /^PATCH \/v1\/(nodes|ports|portgroups|chassis|volume\/\w+|allocations|deploy_templates|runbooks|inspection_rules)\//,
    aspect: /^body\.updated_at$/,
    theirs: '(time)',
    ours: null,
  },
  {
    reason: 'Flags are true or false: null and removal stand for what a new record has.',
    request: /^PATCH .*"(remove|value":null)/,
    aspect: /^body\.(retired|protected|disable_power_off|is_smartnic|public|disable_ramdisk)$/,
    theirs: null,
    ours: false,
  },
  {
    reason:
      'A reason must be a reason of something, and long names are refused that other databases could not store.',
    request: /^PATCH .*\/((protected|retired)_reason","value":""|(owner|lessee|shard)","value":"x{300}")/,
    theirs: 200,
    ours: 400,
  },
  {
    reason: 'Network data are cleared by null or {}, as a node without them is created.',
    request: /^PATCH .*"\/network_data","value":(null|\{\})/,
    theirs: 400,
    ours: 200,
  },
  {
    reason: 'A removal is possible at any version, with every resource.',
    request: /^PATCH \/v1\/(ports|portgroups)\/.*"remove"/,
    theirs: 406,
  },
  {
    reason:
      'What can not be created can not be made by a patch either: names that are not found, connections and modes that are none.',
    request:
      /^PATCH \/v1\/(ports|portgroups|allocations|volume\/\w+)\/.*"\/(name|is_smartnic|mode|physical_network|type|connector_id|volume_type|volume_id)"/,
    theirs: 200,
    ours: 400,
  },
  {
    reason: 'An empty name of a portgroup is none.',
    request: /^PATCH \/v1\/portgroups\/.*"\/name","value":""/,
    aspect: /^body\.name$/,
    theirs: '',
    ours: null,
  },
];

const nodeParts: readonly IntendedDifference[] = [
  {
    reason: 'Arguments that can not be read are refused, not ignored.',
    request: /^PUT \/v1\/nodes\/[^/]+\/(maintenance|states\/\w+) (\{|\{"enabled":null\}|.*"timeout":1\.5\})$/,
    theirs: 202,
    ours: 400,
  },
  {
    reason: 'A request is read before the node is sought.',
    request:
      /^(PUT|POST|GET|DELETE|PATCH) \/v1\/nodes\/[^/]+\/(maintenance|states\/console|vendor_passthru\/\w+) /,
    theirs: 404,
    ours: 400,
  },
  {
    reason:
      'A path that is too new for the request is not there, whatever is sent to it and whether the node is.',
    request:
      /^(GET|PUT) \/v1\/nodes\/[^/]+\/(states\/(boot_mode|secure_boot|raid)|management\/inject_nmi|traits)/,
    ours: /^40[46]$/,
  },
  {
    reason: 'A timeout is refused for its version or for its value; Ironic does the one first or the other.',
    request: /^PUT \/v1\/nodes\/[^/]+\/states\/power .*"timeout":(0|1\.5)/,
    ours: /^40[06]$/,
  },
  {
    reason: 'Arguments of vendor methods may stand in the query alone.',
    request: /^POST .*\/vendor_passthru\?method=third_method_sync&bar=meow$/,
    theirs: 400,
    ours: 200,
  },
  {
    reason:
      'What lies below a part of a node leads nowhere, or is found elsewhere; and so do paths that only have parts.',
    request: /^GET \/v1\/nodes\/[^/]+\/(management|(firmware|children|allocation)\/[^/]+)$/,
    theirs: 405,
    ours: 404,
  },
  {
    reason: 'A single record is not found below its list, and the answer says where it is.',
    request: /^GET \/v1\/nodes\/[^/]+\/(portgroups|volume\/\w+)\/[^/]+$/,
    theirs: 404,
    ours: 400,
  },
  {
    reason: 'A node that is not there is not found.',
    request: /^GET \/v1\/nodes\/[^/]+999\/(allocation|volume)$/,
    ours: 404,
  },
  {
    reason: 'The lists below a node are found by its name too.',
    request: /^GET \/v1\/nodes\/full\/(ports|portgroups|volume\/connectors|volume\/targets)$/,
    theirs: 404,
    ours: 200,
  },
  {
    reason: 'Links name a node by its UUID.',
    request: /^GET \/v1\/nodes\/full\/volume$/,
    aspect: /\.href$/,
  },
  {
    reason: 'Which methods a trait or VIF has does not depend on the version.',
    request: /^GET \/v1\/nodes\/[^/]+\/vifs\/none$/,
    theirs: 404,
    ours: 405,
  },
  {
    reason: 'A boot mode that could not be changed is remembered like any other failure.',
    request: /^GET \/v1\/nodes\/[^/]+\/history$/,
    aspect: /^body\.history\.length$/,
  },
  {
    reason: 'Steps and a runbook together are refused before the runbook is sought.',
    request: /^PUT .*"clean_steps":\[.*"runbook":"none"/,
    theirs: 404,
    ours: 400,
  },
];

export const intendedDifferences: readonly IntendedDifference[] = [
  ...errors,
  ...documents,
  ...methodsAndPaths,
  ...lists,
  ...creation,
  ...patches,
  ...nodeParts,
];
