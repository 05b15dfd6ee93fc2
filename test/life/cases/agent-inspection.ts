// Inspection, with the real agent, of a machine of which only the access to its BMC is known.
import assert from 'node:assert/strict';
import type { Hop } from '../../../daemon/model/records/machine-event.ts';
import type { Case } from '../case.ts';
import { type Enrollable, Enrolment } from '../enrolment.ts';
import { unseen } from '../phases.ts';
import { reference, type Site } from '../site.ts';

const MEMORY_MEBIBYTES = 2560;
const INSPECTION_SECONDS = 600;

export const agentInspections: readonly Case[] = [
  {
    name: 'agent',
    run: async (site) =>
      inspected(site, {
        machine: await site.addMachine('bios', MEMORY_MEBIBYTES),
        bootInterface: 'ipxe',
        hops: ['http'],
      }),
  },
  {
    name: 'agent-redfish-https',
    run: async (site) =>
      inspected(site, {
        machine: await site.addRedfishMachine('uefi', MEMORY_MEBIBYTES),
        bootInterface: 'redfish-https',
        hops: [],
      }),
  },
];

interface Inspection {
  readonly machine: Enrollable & { readonly mac: string };
  readonly bootInterface: string;
  /** The hops (see machine-event.ts) that the timeline must have in addition to those of every inspection. */
  readonly hops: readonly Hop[];
}

async function inspected(site: Site, { machine, bootInterface, hops }: Inspection) {
  const { kernel, ramdisk } = site.images.agent;
  const daemon = await site.startDaemon({
    IRONIC_CONDUCTOR__DEPLOY_KERNEL: reference(kernel),
    IRONIC_CONDUCTOR__DEPLOY_RAMDISK: reference(ramdisk),
  });
  const enrolment = await Enrolment.of(daemon, machine, {
    boot_interface: bootInterface,
    inspect_interface: 'agent',
  });
  await enrolment.reach({ target: 'manage' }, 'manageable', 60);
  await enrolment.reach({ target: 'inspect' }, 'manageable', INSPECTION_SECONDS);
  assert.deepEqual(await enrolment.portAddresses(), [machine.mac]);
  const { properties } = await enrolment.node();
  assert.partialDeepStrictEqual(properties, { cpu_arch: 'x86_64' });
  const events = await enrolment.timeline();
  assert.deepEqual(unseen(events, ['power', 'dhcp', ...hops, 'inspection', 'lookup']), []);
  return events;
}
