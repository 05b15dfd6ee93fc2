// Inspection with the real agent of a machine of which only the BMC's address is known.
import assert from 'node:assert/strict';
import type { Case } from '../case.ts';
import { Enrolment } from '../enrolment.ts';
import { unseen } from '../phases.ts';
import { reference } from '../site.ts';

const MEMORY_MEBIBYTES = 2560;
const INSPECTION_SECONDS = 600;

export const agentInspection: Case = {
  name: 'agent',
  async run(site) {
    const { kernel, ramdisk } = site.images.agent;
    const machine = await site.addMachine('bios', MEMORY_MEBIBYTES);
    const daemon = await site.startDaemon({
      IRONIC_CONDUCTOR__DEPLOY_KERNEL: reference(kernel),
      IRONIC_CONDUCTOR__DEPLOY_RAMDISK: reference(ramdisk),
    });
    const enrolment = await Enrolment.of(daemon, machine);
    await enrolment.reach({ target: 'manage' }, 'manageable', 60);
    await enrolment.reach({ target: 'inspect' }, 'manageable', INSPECTION_SECONDS);
    assert.deepEqual(await enrolment.portAddresses(), [machine.mac]);
    const { properties } = await enrolment.node();
    assert.partialDeepStrictEqual(properties, { cpu_arch: 'x86_64' });
    const events = await enrolment.timeline();
    assert.deepEqual(unseen(events, ['power', 'dhcp', 'http', 'inspection', 'lookup']), []);
    return events;
  },
};
