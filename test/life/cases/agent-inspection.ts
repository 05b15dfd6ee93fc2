// Inspection with the real agent of a machine of which only the BMC's address is known.
import assert from 'node:assert/strict';
import type { Case } from '../case.ts';
import { Enrolment } from '../enrolment.ts';
import { unseen } from '../phases.ts';
import { API_URL } from '../site.ts';

const MEMORY_MEBIBYTES = 2560;
const INSPECTION_SECONDS = 600;

export const agentInspection: Case = {
  name: 'agent',
  async run(site) {
    const machine = await site.installMachine('bios', MEMORY_MEBIBYTES);
    const serving = await site.serve({
      ...site.images.agent,
      parameters: `console=ttyS0 ipa-api-url=${API_URL} ipa-inspection-callback-url=${API_URL}/v1/continue_inspection`,
    });
    const daemon = await site.startDaemon({
      ...serving,
      IRONIC_CONDUCTOR__INSPECT_WAIT_TIMEOUT: String(INSPECTION_SECONDS),
    });
    const enrolment = await Enrolment.of(daemon, machine);
    await enrolment.reach('manage', 'manageable', 60);
    await enrolment.reach('inspect', 'manageable', INSPECTION_SECONDS);
    assert.deepEqual(await enrolment.portAddresses(), [machine.mac]);
    const { properties } = await enrolment.node();
    assert.partialDeepStrictEqual(properties, { cpu_arch: 'x86_64' });
    const events = await enrolment.seen();
    assert.deepEqual(unseen(events, ['power', 'dhcp', 'http', 'inspection', 'lookup']), []);
    return events;
  },
};
