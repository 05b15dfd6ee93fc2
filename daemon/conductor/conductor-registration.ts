// The conductor's own records: its drivers and interfaces, and whether it is online.
import { interfaceTypes } from '../model/machine/interface-types.ts';
import type { HardwareInterface } from '../model/records/hardware-interface.ts';
import { now } from '../lib/clock.ts';
import { driverNames } from './drivers/drivers.ts';
import type { DriverServices } from './drivers/services.ts';

/**
 * Stores the conductor as online or offline. When it is online, warns of other conductors that offer different interfaces for the
 * same hardware type, because any of the conductors may manage a node of this type.
 */
export function registerConductor(services: DriverServices, online: boolean): void {
  const { db, host } = services;
  const time = now(services);
  const available = online ? offers(services) : [];
  if (online) warnOfDifferences(services, available);
  db.transaction(() => {
    db.conductors.put({
      hostname: host,
      conductor_group: services.config.conductor.conductor_group.toLowerCase(),
      drivers: driverNames(services),
      online,
      created_at: time,
      updated_at: time,
    });
    db.conductors.putOffers(host, available);
  });
}

type Offer = Omit<HardwareInterface, 'hostname'>;

const offers = ({ registry }: DriverServices): readonly Offer[] =>
  [...registry.hardwareTypes.values()].flatMap(({ name, enabled, defaults }) =>
    interfaceTypes.flatMap((type) =>
      enabled[type].map((one) => ({
        hardware_type: name,
        interface_type: type,
        interface_name: one,
        is_default: defaults[type] === one,
      })),
    ),
  );

function warnOfDifferences({ db, host, log }: DriverServices, own: readonly Offer[]): void {
  const ownByType = Map.groupBy(own, ({ hardware_type }) => hardware_type);
  const others = Map.groupBy(
    db.conductors.offersOfOthers(host),
    ({ hostname, hardware_type }) => `${hostname}\n${hardware_type}`,
  );
  for (const [key, theirs] of others) {
    const [conductor, hardware_type = ''] = key.split('\n');
    const ours = ownByType.get(hardware_type);
    if (ours === undefined) continue;
    const here = namesOf(ours).difference(namesOf(theirs));
    const there = namesOf(theirs).difference(namesOf(ours));
    if (here.size + there.size === 0) continue;
    log.warn(
      { conductor, hardware_type, only_here: [...here], only_there: [...there] },
      'another conductor offers different interfaces for the same hardware type: set [DEFAULT] enabled_*_interfaces alike on both',
    );
  }
}

const namesOf = (available: readonly Offer[]): ReadonlySet<string> =>
  new Set(available.map(({ interface_type, interface_name }) => `${interface_type}:${interface_name}`));

/** Records that the service has stopped. If the database cannot be written, this is only logged, and the service still stops. */
export function signOff(services: DriverServices): void {
  try {
    registerConductor(services, false);
  } catch (error) {
    services.log.error({ error }, 'cannot record in the database that the service stopped');
  }
}
