// The raid interface `idrac-redfish`: extends `redfish`. Before it creates or deletes volumes, it waits until the storage is
// ready. It brings drives into RAID mode before it creates volumes on them. After it has deleted volumes, it removes foreign
// configurations and brings controllers into RAID mode.
import { extendInterface, type JsonObject, type Step, type Task } from '#plugin-api';
import { plannedVolumes } from '#plugin-api/redfish';
import { staged } from './stages.ts';

const withDrives = (step: Step, configurationOf: (task: Task, given: JsonObject) => unknown): Step =>
  staged(step, {
    stages: ['readiness', 'drives', 'volumes'],
    drives: async (task, given) =>
      (await plannedVolumes(task, configurationOf(task, given), given)).flatMap(({ drives }) => drives),
  });

export const idracRaid = extendInterface('raid', 'redfish', (redfish) => {
  const {
    create_configuration: create,
    apply_configuration: apply,
    delete_configuration: erase,
  } = redfish.steps ?? {};
  return {
    ...redfish,
    steps: {
      ...redfish.steps,
      ...(create && {
        create_configuration: withDrives(create, ({ node }) => node.target_raid_config),
      }),
      ...(apply && {
        apply_configuration: withDrives(apply, (_, { raid_config: configuration }) => configuration),
      }),
      ...(erase && {
        delete_configuration: staged(erase, {
          stages: ['readiness', 'volumes', 'foreign configurations', 'controllers'],
          drives: async () => [],
        }),
      }),
    },
  };
});
