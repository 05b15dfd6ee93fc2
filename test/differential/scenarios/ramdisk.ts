// The API that ramdisks call: lookup, heartbeat and continue_inspection, while no node waits for a ramdisk.
import { uuid } from '../conversation.ts';
import { NODE, populate } from './populate.ts';
import type { Scenario } from './scenario.ts';

const inventory = { interfaces: [{ name: 'eth0', mac_address: '52:54:00:aa:00:02' }] };
const heartbeat = { callback_url: 'https://192.0.2.1:9999', agent_token: 'x', agent_version: '9.0' };

export const ramdisk: Scenario = async (both) => {
  await populate(both);
  for (const minor of both.versions(1, 21, 22, 61, 62, 83, 84, 115)) {
    const here = both.at(minor);
    for (const query of [
      '',
      '?addresses=',
      '?addresses=text',
      '?addresses=52:54:00:aa:00:02',
      `?node_uuid=${NODE}`,
      `?node_uuid=${uuid(999)}`,
      '?node_uuid=text',
      '?unknown=1',
      `?addresses=text,52:54:00:aa:00:02&node_uuid=${NODE}`,
    ])
      await here.sendAll(`GET /v1/lookup${query}`);
    for (const node of [NODE, 'node-1', uuid(999)])
      for (const body of [
        undefined,
        {},
        heartbeat,
        { ...heartbeat, unknown: 1 },
        { ...heartbeat, callback_url: 'http://192.0.2.1' },
        { ...heartbeat, callback_url: 'text' },
        { callback_url: heartbeat.callback_url },
        { ...heartbeat, agent_verify_ca: 'x' },
        { ...heartbeat, agent_status: 'start' },
        { ...heartbeat, agent_status: 'text' },
      ])
        await here.send('POST', `/v1/heartbeat/${node}`, { body });
    await here.send('POST', '/v1/heartbeat', { body: { node_ident: NODE, ...heartbeat } });
    for (const body of [
      undefined,
      {},
      [],
      '{',
      { inventory },
      { inventory: {} },
      { inventory: { interfaces: [] } },
      { inventory: { ...inventory, bmc_address: 'text' } },
    ])
      for (const query of [
        '',
        `?node_uuid=${NODE}`,
        `?node_uuid=${uuid(999)}`,
        '?node_uuid=text',
        '?unknown=1',
      ])
        await here.send('POST', `/v1/continue_inspection${query}`, { body });
  }
};
