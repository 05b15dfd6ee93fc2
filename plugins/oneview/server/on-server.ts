// The checks of this plugin's interfaces: those of the interface that each of them extends, and those of servers behind OneView.
// `validateMachine` checks only the server.
import type { DriverInterface } from '#plugin-api';
import { applianceUrl } from '../appliance/appliance.ts';
import { oneviewProperties, wantedOf } from './node-fields.ts';
import { validateServer } from './validate-server.ts';

type Checks = Pick<DriverInterface, 'properties' | 'validate' | 'validateMachine'>;

export const onServer = (extended: Checks): Checks => ({
  properties: { ...extended.properties, ...oneviewProperties },
  async validate(task) {
    wantedOf(task.node);
    applianceUrl(task);
    await extended.validate(task);
  },
  async validateMachine(task) {
    await validateServer(task);
  },
});
