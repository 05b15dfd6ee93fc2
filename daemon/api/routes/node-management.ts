// /v1/nodes/{node}/management/boot_device and /v1/nodes/{node}/maintenance.
import { nodeOf } from '../../conductor/records/find-record.ts';
import { clearMaintenance, setMaintenance } from '../../conductor/records/maintenance.ts';
import { getBootDevice, setBootDevice, supportedBootDevices } from '../../conductor/hardware/boot-device.ts';
import { bootDevices } from '../../model/machine/boot-devices.ts';
import { type Route, route } from '../../http/route.ts';
import { flagSchema, listSchema, orNull, wholeSchema } from '../../http/schema-parts.ts';

const BOOT_DEVICE = '/v1/nodes/:node/management/boot_device';
const MAINTENANCE = '/v1/nodes/:node/maintenance';

const deviceSchema = { enum: bootDevices };

export const nodeManagementRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: BOOT_DEVICE,
    since: 1,
    answers: { 200: wholeSchema({ boot_device: orNull(deviceSchema), persistent: orNull(flagSchema) }) },
    async handler(request) {
      const { uuid } = nodeOf(request);
      return { status: 200, body: await getBootDevice(request, uuid) };
    },
  }),
  route({
    method: 'PUT',
    path: BOOT_DEVICE,
    since: 1,
    body: {
      parameters: {
        boot_device: { kind: 'text', required: true, values: bootDevices },
        persistent: { kind: 'flag' },
      },
    },
    answers: { 204: null },
    async handler(request) {
      const { given } = request;
      const wanted = { device: given.boot_device, persistent: given.persistent === true };
      await setBootDevice(request, nodeOf(request).uuid, wanted);
      return { status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: `${BOOT_DEVICE}/supported`,
    since: 1,
    answers: { 200: wholeSchema({ supported_boot_devices: listSchema(deviceSchema) }) },
    async handler(request) {
      const devices = await supportedBootDevices(request, nodeOf(request).uuid);
      return { status: 200, body: { supported_boot_devices: devices } };
    },
  }),
  route({
    method: 'PUT',
    path: MAINTENANCE,
    since: 1,
    body: { parameters: { reason: { kind: 'text' } } },
    answers: { 202: null },
    async handler(request) {
      await setMaintenance(request, nodeOf(request).uuid, request.given.reason ?? null);
      return { status: 202 };
    },
  }),
  route({
    method: 'DELETE',
    path: MAINTENANCE,
    since: 1,
    answers: { 202: null },
    async handler(request) {
      await clearMaintenance(request, nodeOf(request).uuid);
      return { status: 202 };
    },
  }),
];
