// The physical network that the ports of a portgroup share.
import { uuid } from '../conversation.ts';
import type { Scenario } from './scenario.ts';

const NODE = uuid(1);
const PORTGROUP = uuid(21);

export const portgroupNetworks: Scenario = async (both) => {
  await both.quietly('POST', '/v1/nodes', { uuid: NODE, driver: 'fake-hardware' });
  await both.quietly('POST', '/v1/portgroups', { uuid: PORTGROUP, node_uuid: NODE });
  const create = async (number: number, fields: object) => {
    const address = `52:54:00:00:00:0${number}`;
    await both.send('POST', '/v1/ports', {
      body: { uuid: uuid(30 + number), node_uuid: NODE, address, ...fields },
    });
    await both.sendAll(`GET /v1/portgroups/${PORTGROUP}`);
  };
  const patch = async (path: string, ...operations: readonly (readonly [string, unknown])[]) => {
    const body = operations.map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
    await both.send('PATCH', `/v1/${path}`, { body });
    await both.sendAll(`GET /v1/portgroups/${PORTGROUP}`, `GET /v1/portgroups/${PORTGROUP}/ports/detail`);
  };
  const inGroup = { portgroup_uuid: PORTGROUP };
  await create(1, { ...inGroup, physical_network: 'a' });
  await create(2, { ...inGroup, physical_network: 'a' });
  await create(3, { ...inGroup, physical_network: null });
  await create(4, { ...inGroup, physical_network: 'b' });
  await both.send('POST', '/v1/ports', {
    body: { uuid: uuid(35), node_uuid: NODE, address: '52:54:00:00:00:05', ...inGroup },
  });
  await both.quietly('DELETE', `/v1/ports/${uuid(35)}`);
  await patch(`ports/${uuid(31)}`, ['physical_network', 'c']);
  await patch(`portgroups/${PORTGROUP}`, ['physical_network', 'd']);
  await patch(`ports/${uuid(31)}`, ['portgroup_uuid', null]);
  await patch(`ports/${uuid(31)}`, ['portgroup_uuid', PORTGROUP], ['physical_network', 'e']);
  await patch(`ports/${uuid(31)}`, ['portgroup_uuid', PORTGROUP]);
  await patch(`portgroups/${PORTGROUP}`, ['standalone_ports_supported', false]);
  await both.sendAll(`DELETE /v1/portgroups/${PORTGROUP}`);
};
