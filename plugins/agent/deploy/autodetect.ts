// The deploy interface `autodetect`, which is only a name: for a node with this interface, the daemon uses one of [DEFAULT]
// autodetect_deploy_interfaces instead.
import { defineDeploy } from '#plugin-api';

export const autodetectDeploy = defineDeploy({ properties: {}, validate() {} });
