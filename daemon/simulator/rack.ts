// A rack of simulated machines, enrolled in a daemon through its API.
import { reasonOf } from '../model/faults.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { CREDENTIALS } from './bmc.ts';
import { type MachineSettings, SimulatedMachine } from './machine.ts';

/** The hardware type of the machines' nodes. */
export const DRIVER = 'simulated';

export interface RackSettings extends Omit<MachineSettings, 'mac' | 'apiUrl' | 'tell'> {
  readonly size: number;
  /** The URL of the daemon's API. */
  readonly url: string;
  /** Header `Authorization` for the API. */
  readonly authorization?: string;
  readonly tell: (machine: string, what: string) => void;
}

export interface RackMachine {
  readonly name: string;
  /** UUID of its node. */
  readonly node: string;
  readonly machine: SimulatedMachine;
}

/** Resolves when the machines are enrolled; rejects with the API's error. */
export async function plugInRack(settings: RackSettings): Promise<readonly RackMachine[]> {
  const rack: RackMachine[] = [];
  for (let number = 1; number <= settings.size; number += 1) rack.push(await enrolMachine(settings, number));
  return rack;
}

async function enrolMachine(settings: RackSettings, number: number): Promise<RackMachine> {
  const { url, tell } = settings;
  const name = `rack-${String(number).padStart(3, '0')}`;
  const machine = await SimulatedMachine.plugIn({
    ...settings,
    mac: macOf(number),
    apiUrl: url,
    tell: (what) => tell(name, what),
  });
  return { name, machine, node: await enrol(settings, name, machine) };
}

const macOf = (number: number) =>
  `52:54:00:5a:${[number >> 8, number & 0xff].map((part) => part.toString(16).padStart(2, '0')).join(':')}`;

/** An existing node of this name gets the machine's BMC. */
async function enrol(settings: RackSettings, name: string, machine: SimulatedMachine): Promise<string> {
  const driver_info = {
    simulated_address: machine.bmcUrl,
    simulated_username: CREDENTIALS.username,
    simulated_password: CREDENTIALS.password,
  };
  const known = await ask(settings, 'GET', `/v1/nodes/${name}`);
  if (known.status === 200) {
    const change = [{ op: 'add', path: '/driver_info', value: driver_info }];
    return uuidIn(await ask(settings, 'PATCH', `/v1/nodes/${name}`, change));
  }
  const body = { name, driver: DRIVER, driver_info, resource_class: 'rack' };
  const node_uuid = uuidIn(await ask(settings, 'POST', '/v1/nodes', body));
  uuidIn(await ask(settings, 'POST', '/v1/ports', { node_uuid, address: machine.mac }));
  return node_uuid;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function ask(
  { url, authorization }: RackSettings,
  method: string,
  path: string,
  body?: JsonObject | readonly JsonObject[],
): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    'x-openstack-ironic-api-version': '1.95',
    ...(authorization !== undefined && { authorization }),
  };
  const answer = await reached(url, () =>
    fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) }),
  );
  return { status: answer.status, text: await answer.text() };
}

async function reached<T>(url: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const { cause = error } = error as Error;
    throw new Error(`no daemon can be reached at ${url}: ${reasonOf(cause)}`, { cause: error });
  }
}

function uuidIn({ status, text }: Answer): string {
  const body: unknown = status < 300 ? JSON.parse(text) : undefined;
  if (isJsonObject(body) && typeof body['uuid'] === 'string') return body['uuid'];
  throw new Error(`the daemon refuses (${status}): ${text}`);
}
