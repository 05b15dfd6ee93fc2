// VIFs and virtual media of a node, events of a network service, and the read-only paths below a node: bios, history, ports and
// others.
import { uuid } from '../conversation.ts';
import { BODIES, type Scenario, withArguments } from './scenario.ts';

const NODE = uuid(1);
const BARE = uuid(2);
const MISSING = uuid(999);
const AT = `/v1/nodes/${NODE}`;

export const attachments: Scenario = async (both) => {
  await both.quietly('POST', '/v1/nodes', { uuid: NODE, name: 'full', driver: 'fake-hardware' });
  await both.quietly('POST', '/v1/nodes', { uuid: BARE, driver: 'fake-hardware', bios_interface: 'no-bios' });
  await both.quietly('POST', '/v1/ports', { uuid: uuid(11), node_uuid: NODE, address: '52:54:00:00:00:01' });
  for (const minor of both.versions(27, 28, 66, 67, 115)) {
    const here = both.at(minor);
    for (const body of [
      ...withArguments('id', [uuid(500), 'name', '', null, 5]),
      { id: uuid(500), port_uuid: uuid(11) },
      { id: uuid(500), port_uuid: uuid(11), portgroup_uuid: uuid(21) },
      { id: uuid(500), port_uuid: 'text' },
      { id: uuid(500), extra: 1 },
    ])
      await here.send('POST', `${AT}/vifs`, { body });
    await here.sendAll(
      `GET ${AT}/vifs`,
      `DELETE ${AT}/vifs/${uuid(500)}`,
      `DELETE ${AT}/vifs/none`,
      `GET ${AT}/vifs/none`,
      `GET /v1/nodes/${MISSING}/vifs`,
    );
  }
  for (const minor of both.versions(88, 89, 93, 115)) {
    const here = both.at(minor);
    const image = { device_type: 'cdrom', image_url: 'http://127.0.0.1:9/x.iso' };
    for (const body of [
      ...BODIES,
      image,
      { ...image, image_download_source: 'http' },
      { ...image, image_download_source: 'ftp' },
      { ...image, device_type: 'tape' },
      { ...image, image_url: 'ftp://x' },
      { ...image, unknown: 1 },
      { device_type: 'cdrom' },
    ])
      await here.send('POST', `${AT}/vmedia`, { body });
    await here.sendAll(
      `GET ${AT}/vmedia`,
      `DELETE ${AT}/vmedia`,
      `DELETE ${AT}/vmedia?device_types=cdrom,floppy`,
      `DELETE ${AT}/vmedia?device_types=tape`,
      `GET /v1/nodes/${MISSING}/vmedia`,
    );
    await both.settled(NODE);
  }
  const event = {
    event: 'network.bind_port',
    port_id: uuid(11),
    mac_address: '52:54:00:00:00:01',
    status: 'ACTIVE',
  };
  for (const minor of both.versions(53, 54, 115))
    for (const body of [
      ...BODIES,
      { events: [] },
      { events: [event] },
      {
        events: [
          { ...event, device_id: uuid(2), 'binding:host_id': uuid(1), 'binding:vnic_type': 'baremetal' },
        ],
      },
      { events: [{ ...event, device_id: 'text' }] },
      { events: [{ ...event, 'binding:host_id': 'text' }] },
      { events: [{ ...event, event: 'network.other' }] },
      { events: [{ ...event, unknown: 1 }] },
      { events: [{ event: 'network.bind_port' }] },
      { events: [{ ...event, mac_address: 'text' }] },
      { events: [{ ...event, port_id: 'text' }] },
      { events: event },
    ])
      await both.at(minor).send('POST', '/v1/events', { body });
  for (const path of [
    'bios',
    'firmware',
    'history',
    'inventory',
    'children',
    'allocation',
    'ports',
    'portgroups',
    'volume',
    'volume/connectors',
    'volume/targets',
  ])
    await both.sendAll(
      `GET ${AT}/${path}`,
      `GET /v1/nodes/full/${path}`,
      `GET /v1/nodes/${MISSING}/${path}`,
      `GET ${AT}/${path}/text`,
      `GET ${AT}/${path}?unknown=1`,
      `GET ${AT}/${path}/${uuid(999)}`,
      `GET /v1/nodes/${BARE}/${path}`,
      `DELETE ${AT}/${path}`,
      `POST ${AT}/${path}`,
    );
};
