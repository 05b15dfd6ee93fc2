// A fake Redfish BMC and a simulated computer, which boots what the BMC tells it to: a ramdisk with an agent, or its disk.
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import type { BootSource } from '../../../daemon/simulator/redfish/machine.ts';
import type { ShapeName } from '../../../daemon/simulator/redfish/shapes.ts';
import { systemClock } from '../../../daemon/lib/clock.ts';
import { noOverride } from '../../../daemon/simulator/bmc.ts';
import { SimulatedMachine } from '../../../daemon/simulator/machine.ts';

export interface RedfishComputer {
  /** Scheme, host and port of the BMC; user admin, password secret. */
  readonly address: string;
  readonly computer: SimulatedMachine;
  /** What happened to the computer, in order. */
  readonly told: readonly string[];
  stop(): Promise<void>;
}

interface ComputerSettings {
  readonly shape: ShapeName;
  readonly mac: string;
  readonly apiUrl: string;
  readonly bootUrl: string;
  /** Resolves when the daemon waits for the machine. The machine boots only then, because a real one would take minutes to boot. */
  readonly awaited: () => Promise<void>;
}

const INSTANTLY = { bootSeconds: 0.1, stepSeconds: 0.1 };

export async function startRedfishComputer({
  shape,
  awaited,
  ...machine
}: ComputerSettings): Promise<RedfishComputer> {
  const told: string[] = [];
  // counts power changes: a boot that a later change has overtaken is not carried out
  let starts = 0;
  const computer = await SimulatedMachine.plugIn({
    ...machine,
    ...INSTANTLY,
    clock: systemClock,
    tell(what) {
      told.push(what);
      // the BMC does not notice when the ramdisk's agent powers the computer off
      if (what === 'power off') fake.machine.power = 'Off';
    },
  });
  const fake = await startFakeRedfish({
    shape,
    booted(source) {
      starts += 1;
      const start = starts;
      void awaited().then(() => (start === starts ? boot(computer, source) : undefined));
    },
    poweredOff() {
      starts += 1;
      computer.powerOff();
    },
  });
  return {
    address: fake.address,
    computer,
    told,
    async stop() {
      computer.unplug();
      await fake.stop();
    },
  };
}

async function boot(computer: SimulatedMachine, { target, url }: BootSource): Promise<void> {
  if (target === 'Pxe')
    computer.boot = { ...noOverride, BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' };
  else if (url !== null)
    computer.boot = {
      BootSourceOverrideTarget: 'UefiHttp',
      BootSourceOverrideEnabled: 'Once',
      HttpBootUri: `http://cd/?${await kernelParameters(url)}`,
    };
  else computer.boot = noOverride;
  computer.reboot();
}

/** The kernel parameters in the boot loader's configuration on a CD image, as the query of a URL. */
async function kernelParameters(url: string): Promise<string> {
  const image = Buffer.from(await (await fetch(url)).arrayBuffer()).toString('latin1');
  const start = image.indexOf('linux /kernel ');
  const line = image.slice(start, image.indexOf('\n', start));
  const query = new URLSearchParams();
  for (const word of line.split(' ').filter((each) => each.includes('='))) {
    const [name = '', ...value] = word.split('=');
    query.set(name, value.join('='));
  }
  return String(query);
}
