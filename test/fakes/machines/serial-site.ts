// A machine with a serial console for tests: its BMC is ipmi_sim, its serial line a TCP server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { startIpmiSim } from '../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { type Ending, type InProcessDaemon, startInProcess } from '../daemon/in-process-daemon.ts';

/** What is typed arrives in `typed`; `show` shows text on the console. */
async function serialLine(t: Ending) {
  const sockets: Socket[] = [];
  const typed: string[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (bytes: Buffer) => typed.push(bytes.toString('latin1')));
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return { port, typed, show: (text: string) => sockets.at(-1)?.write(text) };
}

export async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await is())) await wait(20);
}

/** A machine, and the fields to create its node with. */
export async function serialMachine(t: Ending) {
  const machine = await serialLine(t);
  const sim = await startIpmiSim({ serialPort: machine.port });
  t.after(() => sim.stop());
  const fields = {
    driver: 'ipmi',
    console_interface: 'ipmitool-socat',
    driver_info: {
      ipmi_address: sim.address,
      ipmi_port: sim.port,
      ipmi_username: sim.username,
      ipmi_password: sim.password,
      ipmi_cipher_suite: 3,
    },
  };
  return { machine, sim, fields };
}

/** The machine as a node of a daemon that can serve consoles on TCP ports. */
export async function serialSite(t: Ending) {
  const { machine, sim, fields } = await serialMachine(t);
  const [first, second] = [await freeTcpPort(), await freeTcpPort()];
  const ranges = `${first}:${first + 1},${second}:${second + 1}`;
  const ini = `enabled_hardware_types = ipmi\nmy_ip = 127.0.0.1\n[console]\nport_range = ${ranges}`;
  const daemon = await startInProcess(t, { ini });
  t.after(async () => daemon.services.consoles.closeAll('The service is stopping.'));
  const { uuid } = await daemon.createNode(fields);
  return { machine, sim, daemon, uuid, ...consoleOf(daemon, uuid), port: first };
}

function consoleOf(daemon: InProcessDaemon, uuid: string) {
  const path = `/v1/nodes/${uuid}/states/console`;
  return {
    enable: async (enabled: boolean) => {
      const { status } = await daemon.request('PUT', path, { body: { enabled } });
      assert.equal(status, 202);
      await daemon.idle();
    },
    shown: async () => (await daemon.request('GET', path)).body,
    log: async () => String((await daemon.request('GET', `${path}/log`)).body['log']),
  };
}
