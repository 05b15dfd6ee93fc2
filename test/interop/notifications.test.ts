// The same requests go to OpenStack's own Ironic and to the daemon: events have the types and fields of Ironic's notifications.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IronicProcess, sharedOptions, skipWithoutIronic } from '../differential/ironic-process.ts';
import { freeTcpPort } from '../../daemon/simulator/free-port.ts';
import { startInProcess } from '../fakes/daemon/in-process-daemon.ts';

/** What receivers of a notification rely on: its type and priority, and the name and the fields of its payload. */
interface Shape {
  readonly type: string;
  readonly priority: string;
  readonly object: string;
  readonly fields: readonly string[];
}

interface Notification {
  readonly event_type: string;
  readonly priority: string;
  readonly payload: {
    readonly 'ironic_object.name': string;
    readonly 'ironic_object.data': Readonly<Record<string, unknown>>;
  };
}

type Request = (method: string, path: string, body?: unknown) => Promise<unknown>;

const NODE = '11111111-2222-4333-8444-555555555555';
const MAC = '52:54:00:12:34:56';

/** Sends requests that cause notifications. `settled` resolves when the last request has been carried out. */
async function exercise(request: Request, settled: () => Promise<void>): Promise<void> {
  const node = `/v1/nodes/${NODE}`;
  await request('POST', '/v1/chassis', { description: 'rack A' });
  await request('POST', '/v1/nodes', { uuid: NODE, driver: 'fake-hardware' });
  await request('POST', '/v1/ports', { node_uuid: NODE, address: MAC });
  await request('POST', '/v1/portgroups', { node_uuid: NODE, name: 'bond' });
  await request('PUT', `${node}/states/provision`, { target: 'manage' });
  await settled();
  await request('PUT', `${node}/states/power`, { target: 'power on' });
  await settled();
  await request('PUT', `${node}/maintenance`, { reason: 'disk' });
  await request('PATCH', node, [{ op: 'add', path: '/extra/rack', value: 'A' }]);
  await request('DELETE', node);
}

const shapeOf = ({ event_type: type, priority, payload }: Notification): Shape => ({
  type,
  priority: priority.toLowerCase(),
  object: payload['ironic_object.name'],
  fields: Object.keys(payload['ironic_object.data']).toSorted(),
});

async function theirShapes(): Promise<readonly Shape[]> {
  const options = {
    ...sharedOptions,
    DEFAULT: { ...sharedOptions['DEFAULT'], notification_level: 'debug' },
    oslo_messaging_notifications: { driver: 'log' },
  };
  await using ironic = await IronicProcess.start('newest', {
    options: () => options,
    host: '127.0.0.1',
    port: await freeTcpPort(),
  });
  const request: Request = async (method, where, body) => {
    const answer = await fetch(`${ironic.url}${where}`, {
      method,
      headers: { 'x-openstack-ironic-api-version': '1.95', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${where}: ${answer.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
  await exercise(request, async () => {
    for (;;) {
      const node = (await request('GET', `/v1/nodes/${NODE}`)) as Record<string, unknown>;
      const { reservation, target_power_state: power, target_provision_state: target } = node;
      if (reservation === null && power === null && target === null) return;
      await sleep(100);
    }
  });
  const log = await readFile(path.join(ironic.directory, 'ironic.log'), 'utf8');
  return log.split('\n').flatMap((line) => {
    const at = line.indexOf('{"message_id"');
    return line.includes('oslo.messaging.notification.') && at >= 0
      ? [shapeOf(JSON.parse(line.slice(at)) as Notification)]
      : [];
  });
}

test(
  "events match Ironic's notifications after the same requests, except that record changes have no .start event",
  { skip: skipWithoutIronic('newest') },
  async (t) => {
    const daemon = await startInProcess(t);
    const request: Request = async (method, where, body) => {
      const answer = await daemon.request(method, where, { body, version: 95 });
      assert.ok(answer.status < 300, `${method} ${where}: ${answer.text}`);
      await daemon.idle();
    };
    await exercise(request, () => daemon.idle());
    const ours = daemon.services.db.events
      .after(0, 1000)
      .map(({ body }) => shapeOf(JSON.parse(body) as Notification));
    const theirs = await theirShapes();
    // the daemon announces only the end of a change of a record: the event is written with the change, in one transaction
    const expected = theirs.filter(
      ({ type }) => !/\.(create|update|delete|maintenance_set)\.start$/.test(type),
    );
    assert.deepEqual(ours, withEnd(expected));
  },
);

/**
 * Adds the notification of the end of the provisioning if it is missing: Ironic sends none when the provisioning ends while the
 * notification of its start is still being sent.
 */
function withEnd(shapes: readonly Shape[]): readonly Shape[] {
  const [start, end] = ['start', 'end'].map((status) => `baremetal.node.provision_set.${status}`);
  if (shapes.some(({ type }) => type === end)) return shapes;
  return shapes.flatMap((shape) => (shape.type === start ? [shape, { ...shape, type: end ?? '' }] : [shape]));
}
