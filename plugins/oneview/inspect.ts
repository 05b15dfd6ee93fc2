// The inspect interface `oneview`: in-band inspection. During the inspection the server has a profile of the daemon.
import { extendInterface, type InspectInterface, type Task } from '#plugin-api';
import { allocateServer, deallocate } from './profiles/allocate.ts';
import { inspectionProfile } from './profiles/profile-names.ts';
import { onServer } from './server/on-server.ts';

export const oneviewInspect = extendInterface('inspect', 'agent', (agent): InspectInterface => {
  return {
    ...agent,
    ...onServer(agent),
    async inspectHardware(task) {
      await allocateServer(task, inspectionProfile(task.node));
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
