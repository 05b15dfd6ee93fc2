// The classic driver `fake`: the fake interface of every type that has one.
import { defineClassicDriver } from '#plugin-api';
import { accepting } from './accepting.ts';
import { fakeBios } from './bios.ts';
import { fakeBoot } from './boot.ts';
import { fakeConsole } from './console.ts';
import { fakeDeploy } from './deploy.ts';
import { fakeFirmware } from './firmware.ts';
import { fakeInspect } from './inspect.ts';
import { fakeManagement } from './management.ts';
import { fakePower } from './power.ts';
import { fakeRaid } from './raid.ts';
import { fakeRescue } from './rescue.ts';
import { fakeVendor } from './vendor.ts';

export const fakeClassic = defineClassicDriver({
  bios: fakeBios,
  boot: fakeBoot,
  console: fakeConsole,
  deploy: fakeDeploy,
  firmware: fakeFirmware,
  inspect: fakeInspect,
  management: fakeManagement,
  power: fakePower,
  raid: fakeRaid,
  rescue: fakeRescue,
  storage: accepting,
  vendor: fakeVendor,
});
