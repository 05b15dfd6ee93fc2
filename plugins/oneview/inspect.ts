// The inspect interface `oneview`: in-band inspection on a server that has a profile of the daemon for that time.
import { extendInterface, type InspectInterface, type PropertySpec, type Task } from '#plugin-api';
import { applianceUrl } from './appliance/appliance.ts';
import { allocate, deallocate } from './profiles/allocate.ts';
import { inspectionProfile } from './profiles/profile-names.ts';
import { properties, wantedOf } from './server/node-fields.ts';
import { validateServer } from './server/validate-server.ts';

export const oneviewInspect = extendInterface('inspect', 'agent', (agent): InspectInterface => {
  const all: Readonly<Record<string, PropertySpec>> = { ...agent.properties, ...properties };
  return {
    ...agent,
    properties: all,
    async validate(task) {
      wantedOf(task.node);
      applianceUrl(task);
      await agent.validate(task);
    },
    async validateMachine(task) {
      await validateServer(task);
    },
    async inspectHardware(task) {
      await allocate(task, inspectionProfile(task.node));
      return agent.inspectHardware(task);
    },
    abort: (task) => thenDeallocated(task, agent.abort?.(task)),
    finish: (task) => thenDeallocated(task, agent.finish?.(task)),
  };
});

async function thenDeallocated(task: Task, end: Promise<void> | undefined): Promise<void> {
  try {
    await end;
  } finally {
    await deallocate(task);
  }
}
