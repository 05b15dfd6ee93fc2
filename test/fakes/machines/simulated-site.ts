// The daemon and simulated machines on one clock, which advances when no request is in progress.
import type { Services } from '../../../daemon/conductor/services.ts';
import { fakeClock, type FakeClock } from '../clock.ts';
import type { Ending } from '../daemon/in-process-daemon.ts';
import { startListening } from '../daemon/listening-daemon.ts';
import { plugInRack, type RackMachine } from '../../../daemon/simulator/rack.ts';
import { steer, type Steering } from '../daemon/steered-clock.ts';

export interface SimulatedSite extends Steering {
  readonly url: string;
  readonly services: Services;
  readonly stateDirectory: string;
  readonly clock: FakeClock;
  readonly rack: readonly RackMachine[];
  /** The machines' events in order. */
  readonly told: readonly string[];
  stop(): Promise<void>;
}

interface SiteOptions {
  readonly machines?: number;
  readonly tls?: boolean;
  readonly postSeconds?: number;
  /** Options as `IRONIC_SECTION__OPTION`. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function simulatedSite(test: Ending, options: SiteOptions = {}): Promise<SimulatedSite> {
  const clock = fakeClock();
  const daemon = await startListening(test, {
    clock,
    environment: {
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'simulated',
      IRONIC_DEFAULT__ENABLED_DEPLOY_INTERFACES: 'direct,custom-agent',
      IRONIC_DEFAULT__ENABLED_RAID_INTERFACES: 'agent',
      IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
      IRONIC_AGENT__REQUIRE_TLS: String(options.tls ?? true),
      ...options.environment,
    },
  });
  const { url, services, stateDirectory } = daemon;
  const told: string[] = [];
  const rack = await plugInRack({
    size: options.machines ?? 1,
    url,
    clock,
    tls: options.tls ?? true,
    postSeconds: options.postSeconds ?? 0,
    bootSeconds: 20,
    // heartbeats of machines that boot together arrive together
    random: () => 0.5,
    tell: (machine, what) => told.push(`${machine} ${what}`),
  });
  test.after(async () => {
    for (const { machine } of rack) machine.unplug();
  });
  const conversing = () => rack.some(({ machine }) => machine.conversing);
  const steering = steer(test, { url, services, clock, machines: rack, conversing, told });
  return { url, services, stateDirectory, clock, rack, told, ...steering, stop: () => daemon.stop() };
}
