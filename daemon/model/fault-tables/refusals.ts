// The faults with status 4xx: requests that are refused. Each has a code, a status, and a sentence with parameters in braces.
import type { FaultSentences } from '../fault.ts';

export const refusals = {
  // 400: the request cannot be fulfilled as it stands
  BmcLoginShared: [
    400,
    'The password of the BMC of node {node} is also that of node {other}, which has the same BMC address and user: the daemon cannot change it for one of them. Give each node a user of its own at the BMC, or change the password there and then in the driver_info of all.',
  ],
  OutsideBmcNetworks: [
    400,
    '{network} is not inside [zero_touch] bmc_networks ({networks}): the daemon asks no address outside them. Name networks that are inside, or extend the option.',
  ],
  ScanTooLarge: [
    400,
    'A scan of {networks} would ask too many addresses: expected at most {four} IPv4 and {six} IPv6 addresses. Scan smaller networks, one after the other.',
  ],
  BmcUsernameInvalid: [
    400,
    'The user {username} cannot be made at a BMC. Expected a name of 1 to 16 letters, digits, dots, hyphens and underscores that begins with a letter.',
  ],
  Invalid: [400, '{reason}'],
  InvalidBody: [400, 'The request body is not valid JSON: {reason}'],
  InexactNumber: [
    400,
    'The number {number} in the request body cannot be stored exactly: integers are exact up to 9007199254740991, fractions up to 17 digits, and no number may exceed 1.7976931348623157e308. Send it as a string.',
  ],
  RequestAborted: [400, 'The client closed the connection before its whole request had arrived.'],
  UploadUnusable: [400, 'The upload of image {image} is refused, and nothing is stored: {reason}'],
  BodyTooDeep: [400, 'The request body is nested deeper than {limit} levels ([api] max_json_body_depth).'],
  BodyTooManyValues: [400, 'The request body holds more than {limit} JSON values.'],
  SeveralHosts: [400, 'The request has {count} Host headers. Send one.'],
  MalformedUri: [
    400,
    'Malformed request URI: {path}. To create, show, change or delete a single record, use {resource}.',
  ],
  MissingParameter: [400, 'Missing mandatory parameter: {name}'],
  UnexpectedArguments: [400, 'Unexpected arguments: {names}'],
  InvalidParameter: [400, 'Invalid input for {name}: {reason}'],
  InvalidUuid: [400, 'Expected a UUID but received {value}.'],
  InvalidUuidOrName: [400, 'Expected a logical name or UUID but received {value}.'],
  InvalidMac: [
    400,
    'Expected a MAC address but received {value}. Expected six colon-separated octets, as in 52:54:00:12:34:56.',
  ],
  InvalidName: [400, 'Cannot use the invalid name "{name}" for the {resource}: {reason}'],
  FoundBmcDecided: [
    400,
    'The BMC at {address} belongs to node {node} already (stage {stage}): there is nothing to accept or to continue.',
  ],
  ExpectedMachineUnrecognisable: [
    400,
    'By none of the given values could the machine be recognised. Give one of {fields}.',
  ],
  ExpectedMachineTwice: [
    400,
    'The {field} {value} is also that of the expected machine {other}. Correct one of them, or delete it.',
  ],
  ExpectedMachineRefused: [400, 'Nothing is imported, because of machine {place} of the list: {reason}'],
  InvalidField: [400, 'Field {field} is not a valid field.'],
  InvalidSortKey: [400, 'The sort_key value "{key}" is invalid for sorting.'],
  InvalidSchema: [400, 'Schema error for {resource}: {reason}'],
  InvalidPatch: [400, 'The JSON patch cannot be applied. Reason: {reason}'],
  PatchForbidden: [400, 'Cannot patch {path}. Only the following can be updated: {allowed}'],
  InvalidStateRequested: [
    400,
    'The requested action "{action}" can not be performed on node "{node}" while it is in state "{state}".{advice}',
  ],
  NodePowered: [
    400,
    'The requested action "{action}" can not be performed on node "{node}" while it is in power state "{state}". Power it off first.',
  ],
  VerbUnsupported: [400, 'The requested action "{action}" was not understood. Expected one of: {allowed}'],
  NodeInMaintenance: [
    400,
    "The {action} operation can't be performed on node {node} because it's in maintenance mode. Clear the maintenance flag first.",
  ],
  InstanceDeployFailure: [400, 'Failed to {action} node {node}: {reason}'],
  Uncleanable: [
    400,
    'Node {node} must be cleaned before it becomes available, but cannot be cleaned. Choose another deploy_interface, or skip cleaning with automated_clean=false on the node or in [conductor]. Reason: {reason}',
  ],
  StepsInvalid: [400, 'The {phase} steps cannot run on node {node}: {problems}.'],
  StepNotAllowed: [400, 'Step {step} is not allowed in {name} ([api] disallow_{name}).'],
  RunbookNotApproved: [400, 'Runbook {runbook} is not approved for node {node}: {reason}'],
  NodeIsRetired: [400, "The {action} operation can't be performed on node {node} because it is retired."],
  HardwareClassDiffers: [
    400,
    'Node {node} can not become available, because hardware class {name} is required and {reason}. Repair the machine and inspect it again, or change the class, its field "required" or the resource_class of the node.',
  ],
  PortgroupNotEmpty: [
    400,
    'Portgroup {portgroup} can not be {action}: it has ports. Remove them from it first.',
  ],
  NoValidDriver: [
    400,
    'No valid host was found. Reason: No conductor service registered which supports driver {driver}. It is not enabled; enabled drivers: {enabled} ([DEFAULT] enabled_hardware_types, enabled_drivers)',
  ],
  InterfaceNotFound: [
    400,
    'Could not find the following interface in the enabled {type} interfaces: {name}. Valid interfaces are: {valid} ([DEFAULT] enabled_{type}_interfaces)',
  ],
  IncompatibleInterface: [
    400,
    'Could not link {type} interface {name} to hardware type {driver}, which does not support it. Supported and enabled: {valid}',
  ],
  NoDefaultInterface: [
    400,
    'No default {type} interface for hardware type {driver}, which does not support {name}, the value of [DEFAULT] default_{type}_interface. Set {type}_interface on the node to one of: {valid}',
  ],
  InterfaceOfClassicDriver: [
    400,
    'Cannot set {field} to {name}: {driver} is a classic driver, whose interfaces are built in. Leave the field out, or set driver to a hardware type.',
  ],
  UnsupportedDriverExtension: [400, 'Driver {driver} does not support {extension}.'],
  DriverInfoMissing: [
    400,
    'The following driver_info parameters of node {node} are missing: {names}. {hint}',
  ],
  DriverInfoInvalid: [400, 'Invalid driver_info/{name} of node {node}: {value}. Expected {expected}.'],
  InventoryNotProcessed: [
    400,
    'The stored inspection data of node {node} cannot be processed again, and nothing was changed: {reason}',
  ],
  DhcpOptionInvalid: [400, 'Invalid DHCP option {name} for node {node}: {value}. Expected {expected}.'],
  TlsRequired: [
    400,
    'The agent of node {node} sent callback_url {url}, but TLS is required by configuration ([agent] require_tls).',
  ],
  AgentAddressRefused: [
    400,
    'The agent of node {node} sent callback_url {url}, which is refused: {reason}. [agent] callback_networks sets the networks that agents may be in.',
  ],
  AgentTokenMissing: [
    400,
    'Agent token is required for heartbeat processing with API version 1.62 or higher.',
  ],
  AgentTokenInvalid: [400, 'Invalid or missing agent token received.'],
  AgentUrlChanged: [400, 'Detected change in ramdisk provided "callback_url" of node {node}.'],
  AgentCertificateChanged: [400, 'Detected change in ramdisk provided "agent_verify_ca" of node {node}.'],
  AuthenticationMalformed: [
    400,
    'The Authorization header cannot be read. Expected Basic and the base64 of user:password in UTF-8, or Bearer and a token.',
  ],
  AuthenticationUnsupported: [400, 'Unsupported authorization type "{scheme}"'],

  // 401
  AuthenticationRequired: [401, 'Authorization required'],
  AuthenticationFailed: [401, 'Incorrect username or password'],
  SessionEnded: [401, 'You are not signed in any more. Open /ui/login and sign in.'],

  // 403
  RamdiskEndpointsDisabled: [
    403,
    'Ramdisk endpoints are disabled by configuration ([api] enable_ramdisk_endpoints).',
  ],
  NodeProtected: [403, 'Node {node} is protected and can not be undeployed, rebuilt or deleted.'],
  RoleTooLow: [403, 'User {user} has role {role}; {method} {path} needs role {needed} ([users]).'],
  OperationNotPermitted: [403, 'Operation not permitted.'],
  ForeignOrigin: [
    403,
    'Cross-origin write or WebSocket from {origin} refused. To allow it, add the origin to [cors] allowed_origin.',
  ],
  SignInProtocol: [
    403,
    'This page was opened without TLS, and sessions are for TLS only. Open {origin}/ui/login and sign in there.',
  ],
  SignInRefused: [403, 'The sign-in at {issuer} failed: {reason}. Begin again at /ui/login.'],
  ForeignForm: [403, 'This form was not sent from a page of this daemon. Open /ui and send it from there.'],

  // 404
  NotFound: [404, 'Resource could not be found.'],
  VersionedNotFound: [404, 'Not found: {path} needs API version 1.{since} or newer.'],
  NodeNotFound: [404, 'Node {node} could not be found.'],
  PortNotFound: [404, 'Port {port} could not be found.'],
  ChassisNotFound: [404, 'Chassis {chassis} could not be found.'],
  PortgroupNotFound: [404, 'Portgroup {portgroup} could not be found.'],
  VolumeConnectorNotFound: [404, 'Volume connector {connector} could not be found.'],
  VolumeTargetNotFound: [404, 'Volume target {target} could not be found.'],
  AllocationNotFound: [404, 'Allocation {allocation} could not be found.'],
  NodeAllocationNotFound: [404, 'Node {node} has no allocation.'],
  DeployTemplateNotFound: [404, 'Deploy template {template} could not be found.'],
  RunbookNotFound: [404, 'Runbook {runbook} could not be found.'],
  ImageNotFound: [404, 'Image {image} could not be found: {hint}'],
  ProfileNotFound: [404, 'Profile {profile} could not be found: {hint}'],
  ExpectedMachineNotFound: [
    404,
    'Expected machine {machine} could not be found. "ironic-edge expected list" lists them.',
  ],
  HardwareClassNotFound: [404, 'Hardware class {name} could not be found: {hint}'],
  InspectionRuleNotFound: [404, 'Rule {rule} could not be found.'],
  NodeTraitNotFound: [404, "Node {node} doesn't have a trait {trait}."],
  BiosSettingNotFound: [404, "Node {node} doesn't have a BIOS setting {setting}."],
  RaidUnsupported: [404, 'Driver {driver} does not support RAID{way}.'],
  DriverNotFound: [404, 'Could not find the following driver(s) or hardware type(s): {driver}.'],
  TokenNotFound: [404, 'There is no token with id {id}, or the token file holds it: remove its line there.'],
  SessionNotFound: [404, 'There is no session with id {id}.'],
  FoundBmcNotFound: [404, 'No BMC with UUID, IP address or MAC address {bmc} was found.'],
  ConductorNotFound: [404, 'Conductor {conductor} could not be found.'],
  NodeHistoryNotFound: [404, 'Node history record {record} could not be found.'],
  NodeInventoryNotFound: [
    404,
    'Inventory for node {node} was not found. It is stored when an inspection succeeds.',
  ],
  PluginNotFound: [404, 'There is no plugin {plugin} in the directories of [plugins] path.{aside}'],

  // 405, 406
  MethodNotAllowed: [405, 'The method {method} is not allowed for {path}. Allowed: {allowed}'],
  VersionTooOld: [406, 'Request not acceptable. The minimal required API version should be 1.{since}'],
  VersionUnparsable: [406, 'Invalid value for the API version header: {value}. Expected 1.N or latest.'],
  VersionOutOfRange: [
    406,
    'Version {value} was requested but the requested API version is not supported. Supported versions are {minimum} to {maximum}.',
  ],
  VersionOutsideOf: [
    406,
    'Request not acceptable. {what} can be used only in API versions 1.{since} to 1.{until}.',
  ],
  MediaTypeNotAcceptable: [
    406,
    'Not acceptable: this API answers in application/json, but the request accepts {accept}.',
  ],

  // 409: not possible in the present state, or in conflict with another record
  TooManyTokens: [409, 'There are {limit} tokens, and there can be no more. Revoke those that nobody uses.'],
  NodeLocked: [
    409,
    'Node {node} is locked by host {host}, please retry after the current operation is completed.',
  ],
  BmcNetworksNotSet: [
    409,
    'The daemon looks for no BMCs, because [zero_touch] bmc_networks is empty. Set it to the networks of your BMCs, and restart the daemon.',
  ],
  ScanRunning: [
    409,
    'A scan of {networks} has been running since {started}. Wait for its end, then try again.',
  ],
  DiscoveryUnderway: [
    409,
    'The machine with MAC address {address} has just been discovered; its first report is still being processed.',
  ],
  NodeBusy: [409, 'Node {node} can not be updated while a state transition is in progress.'],
  InvalidState: [409, '{reason}'],
  NodeAssociated: [409, 'Node {node} is associated with instance {instance}.'],
  DuplicateName: [409, '{record} with name {name} already exists.'],
  DuplicateUuid: [409, '{record} with UUID {uuid} already exists.'],
  DuplicateMac: [409, '{record} with MAC address {mac} already exists.'],
  DuplicateVolumeConnector: [
    409,
    'A volume connector of type {type} with connector ID {connector} already exists.',
  ],
  DuplicateBootIndex: [409, 'A volume target with boot index {index} already exists for node {node}.'],
  ImageInUse: [
    409,
    'Image {image} cannot {change}: it is used by {users}. Give them another image first, or undeploy the nodes.',
  ],
  ImageNotKept: [
    409,
    'Image {image} cannot be verified: the daemon keeps no copy of it, its state is {state}. Get it first: "{command}".',
  ],
  ImageChanged: [
    409,
    'The image was deleted or got another source while its content arrived. Nothing was stored.',
  ],
  ImageHasSource: [
    409,
    'Image {image} cannot be uploaded: it is fetched from {source}. Upload to another name, or set its source to upload: first: "ironic-edge image set {image} source=upload:".',
  ],
  ImageIsUploaded: [
    409,
    'Image {image} cannot be fetched: it was made for uploads and has no other source. Upload it: "{command}".',
  ],
  UploadUnderWay: [
    409,
    'Image {image} is being uploaded already. Wait for the end of that upload, then try again.',
  ],
  InstanceAssociated: [
    409,
    'Instance {instance} is already associated with a node, it cannot be associated with this other node {node}.',
  ],
  NodeQuarantined: [
    409,
    'Node {node} has been in quarantine since {since}, so the daemon does nothing with its machine. {reason}',
  ],
  NodeNotConfirmed: [409, 'Node {node} stays in quarantine: {reason}. {advice}.'],
  NodeNotQuarantined: [409, 'Node {node} is not in quarantine, so there is nothing to release.'],
  PluginNotReloaded: [
    409,
    'The plugin {plugin} was not reloaded: {reason}. The daemon continues with what it has loaded. To read plugins and configuration again, restart the daemon.',
  ],
  AgentBusy: [409, 'The agent of node {node} cannot run {command} now: {reason}'],
  ConsoleNotOpen: [409, 'Nobody can attach to the serial console of node {node}: {reason}.'],
  ConsoleTaken: [
    409,
    'Only {typist} can type on the serial console of node {node} now. Attach with read_only to read without typing, or with take_over to type in place of that client.',
  ],
  PowerStateFailure: [409, 'Failed to set node power state to {target} on node {node}: {reason}'],

  // 408
  BodyStalled: [408, 'The client sent nothing of the request body for {seconds} s.'],

  // 413
  RecordTooLarge: [
    413,
    'With this change of {fields}, the JSON fields of the record would total {size} KiB; the limit is {limit} KiB ([api] max_json_record_size).',
  ],
  BodyTooLarge: [413, 'The request body is larger than {limit} KiB ({option}).'],

  // 421
  ForeignHost: [
    421,
    'This API does not accept the host name {host}. Use its IP address, or add the name to [api] allowed_hosts.',
  ],

  // 426, 429
  WebSocketRequired: [
    426,
    '{path} speaks the WebSocket protocol only. Connect to it with a WebSocket client.',
  ],
  TooManyWrongPasswords: [429, 'More than {count} wrong passwords in a minute. Try again later.'],
} as const satisfies FaultSentences;
