// Steps that need a ramdisk, and the preparation and removal of this ramdisk, whose agent has steps too.
import { defineDeploy, type Prepared, type Task } from '#plugin-api';
import { act, note, scripted, scriptedWork } from './script.ts';

async function prepared(task: Task, name: string): Promise<Prepared> {
  await note(task, name);
  if (task.ramdisk.isRunning) return 'ready';
  return (await act(task, name, 'wait')) === 'wait' ? 'wait' : 'ready';
}

export const steppingDeploy = defineDeploy({
  properties: {},
  validate() {},
  offersAgentSteps: true,
  steps: {
    wipe: scripted('wipe', { priorities: { clean: 30, service: 0 }, destroys: 'all data on all disks' }),
    polish: scripted('polish', { priorities: { clean: 30 }, abortable: true }),
    idle: scripted('idle', { priorities: { clean: 0 } }),
    deploy: scripted('deploy', { priorities: { deploy: 100 } }),
    boot: scripted('boot', { priorities: { deploy: 20 }, abortable: false }),
  },
  prepare: scriptedWork('prepare'),
  cleanUp: scriptedWork('cleanUp'),
  tearDown: scriptedWork('tearDown'),
  takeOver: scriptedWork('takeOver'),
  prepareCleaning: (task) => prepared(task, 'prepareCleaning'),
  tearDownCleaning: scriptedWork('tearDownCleaning'),
  prepareService: (task) => prepared(task, 'prepareService'),
  tearDownService: scriptedWork('tearDownService'),
  async agentStepEnded(task, step, result) {
    await note(task, `ended ${step.step} ${Object.keys(result).join(' ')}`);
  },
});
