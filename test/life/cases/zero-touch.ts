// A new machine, of which the daemon knows only the serial number, becomes available by itself. Its BMC has no user; its disk has
// partitions, so that it waits once until an operator continues it.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readTables } from '../../../daemon/db/read-only.ts';
import { isSameMachineUuid } from '../../../daemon/model/machine/machine-identity.ts';
import type { MachineEvent } from '../../../daemon/model/records/machine-event.ts';
import type { FoundBmc } from '../../../daemon/model/zero-touch/found-bmc.ts';
import type { Stage } from '../../../daemon/model/zero-touch/stages.ts';
import { IPMI_CREDENTIALS } from '../../../daemon/simulator/ipmi/machine-bmc.ts';
import type { ApiNode, DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import type { Case } from '../case.ts';
import { expectSuccess } from '../enrolment.ts';
import { unseen } from '../phases.ts';
import { startCapture } from '../rig/capture.ts';
import { bmcAddressOf, uuidOf } from '../rig/network.ts';
import { reference, type Site } from '../site.ts';

const MEMORY_MEBIBYTES = 2560;
const STAGE_SECONDS = 900;
const POLL_MILLISECONDS = 500;
const CLASS = 'zero-touch';
const OWN_USER = 'ironic-edge';
const PARTITIONED_BYTES = 17_408;

export const zeroTouch: Case = { name: 'zero-touch', run };

async function run(site: Site): Promise<readonly MachineEvent[]> {
  await using capture = await startCapture(join(site.folder, 'network.pcap'));
  const daemon = await startDaemon(site);
  const machine = await site.addNewMachine('bios', MEMORY_MEBIBYTES);
  await partition(machine.disk);
  const address = bmcAddressOf(machine.number);
  const expected = { name: 'new-1', serial_number: `RIG${machine.number}`, resource_class: CLASS };
  await expectSuccess(daemon, 'POST', '/v1/hardware_classes', {
    name: CLASS,
    threads: 2,
    disks: [{ count: 1, size_gb: 8.6 }],
  });
  await expectSuccess(daemon, 'POST', '/v1/expected_machines', expected);
  await assert.rejects(powerStatus(address, IPMI_CREDENTIALS));
  machine.pressPowerButton();
  const stopped = await stageOf(daemon, address, 'inspected');
  assert.match(stopped.reason ?? '', /^its disks hold data: sda: gpt, 2 partitions, ext4: continue it/);
  assert.ok(isSameMachineUuid(stopped.system_uuid ?? '', uuidOf(machine.number)));
  await expectSuccess(daemon, 'POST', `/v1/found_bmcs/${address}/continue`);
  const taken = await stageOf(daemon, address, 'available');
  const node = await expectSuccess<ApiNode>(daemon, 'GET', `/v1/nodes/${taken.node_uuid}`);
  const {
    provision_state: state,
    resource_class: resourceClass,
    driver_info: info,
    last_error: error,
  } = node;
  assert.deepEqual([state, resourceClass, error], ['available', CLASS, null]);
  assert.equal(info['ipmi_username'], OWN_USER);
  assert.ok(
    (await beginningOf(machine.disk)).every((octet) => octet === 0),
    'the partitions are still there',
  );
  const logins = loginsOf(daemon, address);
  for (const login of logins) assert.match(await powerStatus(address, login), /^Chassis Power is off/);
  const { events } = await expectSuccess<{ events: MachineEvent[] }>(
    daemon,
    'GET',
    `/v1/nodes/${taken.node_uuid}/timeline`,
  );
  assert.deepEqual(unseen(events, ['power', 'dhcp', 'http', 'inspection', 'lookup']), []);
  const recorded = await capture.end();
  const texts = {
    recorded,
    log: JSON.stringify(daemon.log),
    events: JSON.stringify(events),
    console: machine.console.text,
  };
  assert.ok(recorded.includes('bmc_login'), 'the recording has the report');
  for (const { username, password } of logins) {
    // RAKP message 1, with which a session begins, ends with two reserved octets and the length and text of the name
    const begun = Buffer.concat([Buffer.of(0, 0, username.length), Buffer.from(username)]);
    assert.ok(recorded.includes(begun), `the recording has the sessions of ${username}`);
    for (const [where, text] of Object.entries(texts))
      assert.ok(!text.includes(password), `the password of ${username} can be read: ${where}`);
  }
  return events;
}

function startDaemon(site: Site): Promise<DaemonProcess> {
  const { kernel, ramdisk } = site.images.agent;
  return site.startDaemon({
    IRONIC_CONDUCTOR__DEPLOY_KERNEL: reference(kernel),
    IRONIC_CONDUCTOR__DEPLOY_RAMDISK: reference(ramdisk),
    IRONIC_ZERO_TOUCH__BMC_NETWORKS: '10.77.0.0/24',
    // the newest cipher suite that ipmi_sim supports
    IRONIC_IPMI__CIPHER_SUITE_VERSIONS: '3',
    // overwriting a whole emulated disk takes minutes
    IRONIC_DEPLOY__ERASE_DEVICES_PRIORITY: '0',
  });
}

/** Gives the disk two partitions, the second with a file system. */
async function partition(disk: string): Promise<void> {
  execFileSync('sgdisk', ['--new=1:1M:+64M', '--new=2:128M:+64M', disk], { stdio: 'ignore' });
  const block = 4096;
  execFileSync('mkfs.ext4', [
    '-q',
    '-b',
    String(block),
    '-E',
    `offset=${128 * 2 ** 20}`,
    disk,
    String((64 * 2 ** 20) / block),
  ]);
  assert.ok((await beginningOf(disk)).includes('EFI PART'));
}

async function beginningOf(disk: string): Promise<Buffer> {
  await using file = await open(disk);
  return (await file.read(Buffer.alloc(PARTITIONED_BYTES), 0, PARTITIONED_BYTES, 0)).buffer;
}

/** Resolves when the machine has reached the stage and stays there; rejects when it stays somewhere else. */
async function stageOf(daemon: DaemonProcess, address: string, stage: Stage): Promise<FoundBmc> {
  const deadline = performance.now() + STAGE_SECONDS * 1000;
  while (performance.now() < deadline) {
    const { body, status } = await daemon.request<FoundBmc>('GET', `/v1/found_bmcs/${address}`);
    const found = status === 200 ? body : undefined;
    if (found !== undefined && isAtRest(found)) {
      assert.equal(found.stage, stage, found.reason ?? '');
      return found;
    }
    await wait(POLL_MILLISECONDS);
  }
  throw new Error(`not ${stage} within ${STAGE_SECONDS} s`);
}

/** Before its ramdisk has reported, nobody expects the machine. */
const isAtRest = ({ stage, reason }: FoundBmc): boolean =>
  stage === 'available' || (stage !== 'seen' && reason !== null);

interface Login {
  readonly username: string;
  readonly password: string;
}

/** The login that the machine made, and the daemon's own. */
function loginsOf({ statePath }: DaemonProcess, address: string): readonly Login[] {
  return readTables(join(statePath, 'ironic-edge.sqlite'), ({ bmcLogins, nodes, foundBmcs }) => {
    const node = nodes.get(foundBmcs.findBy('address', address)?.node_uuid ?? '');
    const { ipmi_username: username, ipmi_password: password } = node?.driver_info ?? {};
    const claim = bmcLogins.inTurn(address)[0];
    assert.ok(claim !== undefined && typeof username === 'string' && typeof password === 'string');
    assert.notEqual(claim.password, password);
    return [claim, { username, password }];
  });
}

/** Asks the BMC on its network, as a daemon does. Rejects when the BMC refuses the login. */
async function powerStatus(address: string, { username, password }: Login): Promise<string> {
  const words = [
    '-I',
    'lanplus',
    '-H',
    address,
    '-U',
    username,
    '-E',
    '-C',
    '3',
    'chassis',
    'power',
    'status',
  ];
  const env = { ...process.env, IPMI_PASSWORD: password };
  return (await promisify(execFile)('ipmitool', words, { env })).stdout;
}
