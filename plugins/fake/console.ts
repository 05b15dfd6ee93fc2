// The fake console interface: starts and stops at once, and leads nowhere.
import { defineConsole } from '#plugin-api';

export const fakeConsole = defineConsole({
  properties: {},
  validate() {},
  async startConsole() {},
  async stopConsole() {},
  getConsole: async () => ({}),
});
