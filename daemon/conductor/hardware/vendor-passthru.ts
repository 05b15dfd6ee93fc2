// Vendor passthru: requests for methods of vendor interfaces, on a node or on a driver.
import { fault, reasonOf } from '../../model/faults.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { DriverContext, HttpVerb, NodeVendorMethod, VendorMethod } from '../../plugin-api/index.ts';
import { carryOut } from './background-action.ts';
import { defaultInterface } from '../drivers/drivers.ts';
import { openTask, startTask, withTask } from '../tasks/run-task.ts';
import { taskClock } from '../tasks/task.ts';
import type { Call } from '../tasks/services.ts';
import { unsupported } from './unsupported.ts';
import type { HardwareServices, HardwareTask } from './services.ts';

export interface VendorCall {
  readonly method: string;
  readonly verb: HttpVerb;
  /** Query and body of the request. */
  readonly given: JsonObject;
}

/** `value`: the method's result; `accepted`: the method runs in the background. */
export type VendorOutcome = { readonly kind: 'value'; readonly value: Json } | { readonly kind: 'accepted' };

type Methods = Readonly<Record<string, VendorMethod<never> & Pick<NodeVendorMethod, 'sharesNode'>>>;

/** Describes the methods of the node's vendor interface. Takes no lock. */
export function nodeVendorMethods(context: Call<HardwareServices>, uuid: string) {
  return describe(openTask(context, uuid).driver.vendor.nodeMethods);
}

/** Describes the driver methods of the driver's default vendor interface. Throws DriverNotFound. */
export function driverVendorMethods(services: HardwareServices, driver: string) {
  return describe(defaultInterface(services, driver, 'vendor')?.driverMethods);
}

function describe(methods: Methods = {}): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      {
        http_methods: method.httpMethods,
        async: method.runs === 'background',
        description: method.description,
        attach: false,
        require_exclusive_lock: method.sharesNode !== true,
      },
    ]),
  );
}

/**
 * Throws InvalidParameter for an unknown method or one that does not accept the verb. Throws UnsupportedDriverExtension if the
 * vendor interface has no node methods. Also throws what validation or the method throws. A failure in the background is
 * recorded in last_error.
 */
export async function callNodeMethod(
  context: Call<HardwareServices>,
  uuid: string,
  call: VendorCall,
): Promise<VendorOutcome> {
  const task = openTask(context, uuid);
  const method = methodOf(task, call);
  if (method.sharesNode === true) return callShared(task, method, call);
  if (method.runs === 'wait') {
    return withTask(context, uuid, async (locked) => {
      await validate(locked, method, call);
      return valueOf(method, locked.view, call);
    });
  }
  await startTask(context, uuid, async (locked) => {
    await validate(locked, method, call);
    return (running) => runInBackground(running, method, call);
  });
  return { kind: 'accepted' };
}

async function callShared(
  task: HardwareTask,
  method: NodeVendorMethod,
  call: VendorCall,
): Promise<VendorOutcome> {
  await validate(task, method, call);
  if (method.runs === 'wait') return valueOf(method, task.view, call);
  const leave = task.services.workers.enter('request');
  void runInBackground(task, method, call)
    .catch((error: unknown) =>
      task.log.error({ error }, 'the failure of a vendor method could not be recorded'),
    )
    .finally(leave);
  return { kind: 'accepted' };
}

async function validate(task: HardwareTask, method: NodeVendorMethod, { given }: VendorCall): Promise<void> {
  await task.driver.vendor.validate(task.view);
  await method.validate?.(task.view, given);
}

function methodOf(task: HardwareTask, call: VendorCall): NodeVendorMethod {
  const methods = task.driver.vendor.nodeMethods;
  if (methods === undefined) throw unsupported(task, 'vendor');
  return choose(methods, call, `the vendor interface ${task.node.vendor_interface}`);
}

function choose<M extends VendorMethod<never>>(
  methods: Readonly<Record<string, M>>,
  { method: name, verb }: VendorCall,
  owner: string,
): M {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) {
    const known = Object.keys(methods).join(', ') || 'none';
    throw fault('InvalidParameter', {
      name: 'method',
      reason: `${owner} has no method ${name}. It has: ${known}`,
    });
  }
  if (method.httpMethods.includes(verb)) return method;
  throw fault('InvalidParameter', {
    name: 'method',
    reason: `${name} does not accept ${verb}. It accepts: ${method.httpMethods.join(', ')}`,
  });
}

async function runInBackground(
  task: HardwareTask,
  method: NodeVendorMethod,
  call: VendorCall,
): Promise<void> {
  await carryOut(task, {
    action: `run the vendor method ${call.method}`,
    eventType: 'vendor',
    work: () => method.call(task.view, call.given, call.verb),
  });
}

async function valueOf<Context extends DriverContext>(
  method: VendorMethod<Context>,
  context: Context,
  { given, verb }: VendorCall,
): Promise<VendorOutcome> {
  return { kind: 'value', value: (await method.call(context, given, verb)) ?? null };
}

/** Throws what `callNodeMethod` throws, and DriverNotFound. A failure in the background is only logged. */
export async function callDriverMethod(
  context: Call<HardwareServices>,
  driver: string,
  call: VendorCall,
): Promise<VendorOutcome> {
  const { services } = context;
  const methods = defaultInterface(services, driver, 'vendor')?.driverMethods;
  if (methods === undefined) throw fault('UnsupportedDriverExtension', { driver, extension: 'vendor' });
  const method = choose(methods, call, `driver ${driver}`);
  const driverContext = contextOf(context, driver);
  await method.validate?.(driverContext, call.given);
  const run = () => valueOf(method, driverContext, call);
  if (method.runs === 'wait') return run();
  const leave = services.workers.enter('request');
  void run()
    .catch((error: unknown) => {
      const reason = reasonOf(error);
      driverContext.log.error({ method: call.method, reason }, 'vendor method failed');
    })
    .finally(leave);
  return { kind: 'accepted' };
}

const contextOf = ({ services, caller }: Call<HardwareServices>, driver: string): DriverContext => ({
  log: services.log.child({ driver, ...(caller && { request_id: caller.requestId }) }),
  signal: services.stopping,
  configuration: services.sections,
  clock: taskClock(services),
});
