// The deploy interface `autodetect`: a name only. Where a node has it, the daemon uses one of [DEFAULT]
// autodetect_deploy_interfaces in its place.
import { defineDeploy } from '#plugin-api';

export const autodetectDeploy = defineDeploy({ properties: {}, validate() {} });
