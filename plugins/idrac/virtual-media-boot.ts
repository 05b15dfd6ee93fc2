// The boot interface `idrac-redfish-virtual-media`: with firmware before 6.00, only a setting of the iDRAC itself makes a server
// boot from virtual media.
import { defineFault, extendInterface, type Task } from '#plugin-api';
import { type Bmc, converse, isBelow, objectIn, readTask, taskOf, textIn } from '#plugin-api/redfish';

const NEEDS_NONE_SINCE = '6.00.00.00';
/** Server generations whose iDRACs (7 to 9) have firmware versions that can be compared; iDRAC10 starts at 1 again. */
const GENERATIONS = ['12G', '13G', '14G', '15G', '16G'];
const POLL_MILLISECONDS = 5000;
const LONGEST_MILLISECONDS = 300_000;

const notImported = defineFault(
  'BootDeviceNotImported',
  500,
  'The iDRAC of node {node} did not set the boot device: {reason}.',
);

export const idracVirtualMediaBoot = extendInterface('boot', 'redfish-virtual-media', (redfish) => ({
  ...redfish,
  async prepareRamdisk(task, parameters) {
    await redfish.prepareRamdisk?.(task, parameters);
    await converse(task, { operation: 'Setting the boot device of the iDRAC', length: 6 }, (bmc) =>
      bootFromVirtualCd(bmc, task),
    );
  },
}));

async function bootFromVirtualCd(bmc: Bmc, task: Task): Promise<void> {
  const manager = (await bmc.optional('its Manager', () => bmc.manager())) ?? {};
  const [model = '', firmware] = [textIn(manager['Model']), textIn(manager['FirmwareVersion'])];
  if (!GENERATIONS.some((each) => model.startsWith(each)) || !isBelow(firmware, NEEDS_NONE_SINCE)) return;
  const actions = objectIn(objectIn(manager['Actions'])['Oem']);
  const target = textIn(objectIn(actions['#OemManager.ImportSystemConfiguration'])['target']);
  if (target === undefined)
    throw notImported({
      node: task.node.uuid,
      reason: 'it has no ImportSystemConfiguration; update its firmware',
    });
  const answer = await bmc.post(target, {
    ShareParameters: { Target: 'ALL' },
    ShutdownType: 'NoReboot',
    ImportBuffer: settingsFor(textIn(manager['Id']) ?? ''),
  });
  const path = taskOf(answer);
  if (path !== undefined) await ended(bmc, task, path);
}

/** Returns the settings in one line, because an iDRAC refuses white space between the elements. */
const settingsFor = (manager: string): string =>
  [
    `<SystemConfiguration><Component FQDD="${manager}">`,
    '<Attribute Name="ServerBoot.1#BootOnce">Enabled</Attribute>',
    '<Attribute Name="ServerBoot.1#FirstBootDevice">VCD-DVD</Attribute>',
    '</Component></SystemConfiguration>',
  ].join('');

async function ended(bmc: Bmc, task: Task, path: string): Promise<void> {
  const until = task.clock.monotonic() + LONGEST_MILLISECONDS;
  for (;;) {
    const progress = await readTask(bmc, path);
    if (progress.kind === 'failed') throw notImported({ node: task.node.uuid, reason: progress.reason });
    if (progress.kind === 'succeeded' || progress.kind === 'gone') return;
    if (task.clock.monotonic() >= until)
      throw notImported({
        node: task.node.uuid,
        reason: `its job did not end within ${LONGEST_MILLISECONDS / 1000} s`,
      });
    await task.clock.sleep(POLL_MILLISECONDS);
  }
}
