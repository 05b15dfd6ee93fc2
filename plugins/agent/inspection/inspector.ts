// The `inspector` inspect interface: an existing ironic-inspector service inspects the machine. The daemon starts the
// inspection, polls for its end, and forwards the reports that ramdisks send here.
import {
  canonicalIp,
  defineInspect,
  fault,
  InspectionError,
  type InspectInterface,
  isLoopback,
  type Task,
} from '#plugin-api';
import { type Resolve, resolveHost } from './bmc-addresses.ts';
import {
  bootRamdisk,
  isBootManaged,
  leaveInspection,
  managesBoot,
  powerOffInspected,
  recordInspection,
  startInspection,
  versionOne,
} from './inspected-machine.ts';
import {
  abortIntrospection,
  continueIntrospection,
  endpointOf,
  introspectionData,
  introspectionOf,
  startIntrospection,
} from './introspection.ts';
import { inspectorOptions } from '../options.ts';

export function createInspectorInspect(resolve: Resolve): InspectInterface {
  return defineInspect({
    properties: {},
    async validate(task) {
      endpointOf(task);
      if (await managesBoot(task)) callbackUrl(task);
    },
    inspectHardware: (task) =>
      startInspection(task, async () => {
        const isManaged = await managesBoot(task);
        await startIntrospection(task, isManaged);
        await recordInspection(task, isManaged, resolve);
        if (isManaged) await bootRamdisk(task, callbackUrl(task));
      }),
    passOn: continueIntrospection,
    poll: {
      interval: { section: 'inspector', option: 'status_check_period' },
      async check(task) {
        const introspection = await introspectionOf(task);
        if (introspection === undefined)
          throw new InspectionError('ironic-inspector no longer knows the node; inspect it again');
        const { finished, error } = introspection;
        if (error !== null) throw new InspectionError(`ironic-inspector inspection failed: ${error}`);
        return finished ? { report: await introspectionData(task) } : 'waiting';
      },
    },
    // ironic-inspector itself powers off a machine that it has booted
    async abort(task) {
      const begun = 'inspector_manage_boot' in task.node.driver_internal_info;
      await end(task, async () => begun && abortIntrospection(task));
    },
    finish: (task) => end(task),
  });
}

export const inspectorInspect = createInspectorInspect(resolveHost);

async function end(task: Task, ...work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const isManaged = isBootManaged(task);
  await leaveInspection(task, ...work, async () => isManaged && powerOffInspected(task));
}

/**
 * Returns the URL at which ramdisks booted by this daemon report to ironic-inspector; or `mdns`, if the ramdisks find the service
 * themselves. The URL begins with the value of [inspector] callback_endpoint_override or, if that is not set, of endpoint_override.
 * Throws InvalidParameter when this value is not a usable URL, or names this host itself (loopback): ramdisks cannot reach it.
 */
function callbackUrl(task: Task): string {
  const override = inspectorOptions(task).callback_endpoint_override;
  if (override === 'mdns') return override;
  const name = override === null ? 'endpoint_override' : 'callback_endpoint_override';
  const root = endpointOf(task, name);
  if (!isThisHost(root)) return versionOne(root.href, 'continue');
  throw fault('InvalidParameter', {
    name: `[inspector] ${name}`,
    reason: `ramdisks cannot reach ${root.href}. Set callback_endpoint_override to a URL at which ramdisks reach ironic-inspector, or to mdns`,
  });
}

function isThisHost({ hostname }: URL): boolean {
  const ip = canonicalIp(hostname.replace(/^\[(.*)\]$/, '$1'));
  return ip === undefined ? /(?:^|\.)localhost\.?$/.test(hostname) : isLoopback(ip);
}
