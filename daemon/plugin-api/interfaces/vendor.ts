// The contract of vendor interfaces, whose methods are called through the API (vendor passthru).
import type { Json, JsonObject } from '../../model/json.ts';
import type { DriverInterface } from './driver-interface.ts';
import type { Task } from '../task.ts';

export const httpVerbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type HttpVerb = (typeof httpVerbs)[number];

/** One vendor method; `Context` is the task, or a part of one for methods of a driver. */
export interface VendorMethod<Context> {
  readonly httpMethods: readonly HttpVerb[];
  readonly description: string;
  /**
   * `wait`: the result of `call` is the response. `background`: the response is sent before `call` runs. A failure in the
   * background is reported in the node's `last_error`; for a method of a driver, it is only logged.
   */
  readonly runs: 'wait' | 'background';
  /** Called before `call`. Throws a fault (MissingParameter, InvalidParameter) to refuse the request. */
  validate?(context: Context, given: JsonObject): void | Promise<void>;
  /** Carries out the request. `given` holds the parameters of its query and the members of its JSON body. */
  call(context: Context, given: JsonObject, verb: HttpVerb): Promise<Json | void>;
}

export interface NodeVendorMethod extends VendorMethod<Task> {
  /** Leaves the node unlocked, so that it may change while the method runs. */
  readonly sharesNode?: true;
}

/** The part of a task that the methods of a driver get: such methods concern no node. */
export type DriverContext = Pick<Task, 'log' | 'signal' | 'configuration' | 'clock'>;

export interface VendorInterface extends DriverInterface {
  /** Methods by name, for `nodes/{node}/vendor_passthru/{name}`. */
  readonly nodeMethods?: Readonly<Record<string, NodeVendorMethod>>;
  /** Methods by name, for `drivers/{driver}/vendor_passthru/{name}`. */
  readonly driverMethods?: Readonly<Record<string, VendorMethod<DriverContext>>>;
}

export const defineVendor = (vendor: VendorInterface): VendorInterface => vendor;
