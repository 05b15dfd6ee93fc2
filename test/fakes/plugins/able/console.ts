// A console that counts its starts and stops.
import { defineConsole } from '#plugin-api';
import { count, failIfAsked } from './memory.ts';

export const ableConsole = defineConsole({
  properties: {},
  validate() {},
  async startConsole(task) {
    failIfAsked(task, 'startConsole');
    await count(task, 'starts');
  },
  async stopConsole(task) {
    failIfAsked(task, 'stopConsole');
    await count(task, 'stops');
  },
  getConsole: async () => ({ type: 'socat', url: 'tcp://192.0.2.1:10000' }),
});
