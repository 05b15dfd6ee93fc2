// BIOS steps, which need no ramdisk; one of them continues in the BMC and is polled.
import { defineBios } from '#plugin-api';
import { act, note, scripted } from './script.ts';

export const steppingBios = defineBios({
  properties: {},
  validate() {},
  steps: {
    factory_reset: scripted('factory_reset', {
      priorities: { clean: 0, service: 0, verify: 0 },
      requiresRamdisk: false,
    }),
    apply: scripted('apply', {
      priorities: { clean: 0, deploy: 0, service: 0 },
      requiresRamdisk: false,
      abortable: true,
      arguments: {
        settings: { description: 'Names and values.', required: true },
        reboot: { description: 'Whether to reboot.' },
      },
    }),
    flash: {
      ...scripted('flash', { priorities: { clean: 0, deploy: 0, service: 0 }, requiresRamdisk: false }),
      async run(task) {
        await note(task, 'flash');
        return act(task, 'flash', 'wait');
      },
      poll: {
        intervalSeconds: 20,
        async check(task) {
          await note(task, 'check');
          return act(task, 'check', 'done');
        },
      },
    },
  },
});
