// The fake console interface: starts and stops at once, and has no address to connect to.
import { defineConsole } from '#plugin-api';

export const fakeConsole = defineConsole({
  properties: {},
  validate() {},
  async startConsole() {},
  async stopConsole() {},
  getConsole: async () => ({}),
});
