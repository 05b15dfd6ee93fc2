// The contract of vendor interfaces: methods that the API passes requests through to.
import type { Json, JsonObject } from '../model/json.ts';
import type { DriverInterface } from './interfaces.ts';
import type { Task } from './task.ts';

export const httpVerbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type HttpVerb = (typeof httpVerbs)[number];

/** A method for requests of the API; `Context` is what it works with. */
export interface VendorMethod<Context> {
  readonly httpMethods: readonly HttpVerb[];
  readonly description: string;
  /**
   * `wait`: the caller gets what `call` resolves to. `background`: the caller is answered before `call` runs, and a
   * failure is told in the node's last_error.
   */
  readonly runs: 'wait' | 'background';
  /** Throws a fault (MissingParameter, InvalidParameter) that the caller gets, before anything is done. */
  validate?(context: Context, given: JsonObject): void | Promise<void>;
  /** `given`: the request's query and JSON body in one object. */
  call(context: Context, given: JsonObject, verb: HttpVerb): Promise<Json | void>;
}

export interface NodeVendorMethod extends VendorMethod<Task> {
  /** The node is not locked; others may change it meanwhile. */
  readonly sharesNode?: true;
}

/** What a method that concerns no node works with. */
export type DriverContext = Pick<Task, 'log' | 'signal' | 'configuration' | 'now' | 'sleep'>;

export interface VendorInterface extends DriverInterface {
  /** By name, for `nodes/{node}/vendor_passthru/{name}`. */
  readonly nodeMethods?: Readonly<Record<string, NodeVendorMethod>>;
  /** By name, for `drivers/{driver}/vendor_passthru/{name}`. */
  readonly driverMethods?: Readonly<Record<string, VendorMethod<DriverContext>>>;
}

export const defineVendor = (vendor: VendorInterface): VendorInterface => vendor;
