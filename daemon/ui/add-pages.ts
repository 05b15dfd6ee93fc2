// Reads what the views show with which machines are added.
import type { Services } from '../conductor/services.ts';
import { knownClasses } from './read/add/known-classes.ts';
import { countWaiting, readInbox } from './read/inbox.ts';
import { bootView } from './views/add/boot.ts';
import { type BmcForm, byBmcView } from './views/add/by-bmc.ts';
import { discoveredView } from './views/add/discovered.ts';
import { addPage } from './views/add/frame.ts';
import { type ManyForm, manyView } from './views/add/many.ts';
import type { PageView } from './views/layout.ts';

const driversOf = ({ registry }: Services): readonly string[] =>
  [...registry.hardwareTypes.keys()].toSorted();
const MODULES = ['add.js'] as const;

/** `shown`: what the form shows of an earlier request; nothing of it the first time. */
export function byBmcPage(
  services: Services,
  shown: Pick<BmcForm, 'given'> & Partial<Pick<BmcForm, 'result' | 'refusal'>>,
): PageView {
  const { given, result, refusal } = shown;
  const form = {
    given,
    result,
    refusal,
    drivers: driversOf(services),
    classes: knownClasses(services),
  };
  return addPage(
    { title: 'by BMC', href: '/ui/add', waiting: countWaiting(services), body: byBmcView(form) },
    { modules: MODULES },
  );
}

/** The form before anything was typed. */
export const newBmcPage = (services: Services): PageView =>
  byBmcPage(services, { given: { verify: String(services.config.zero_touch.verify_ca) } });

export const manyPage = (services: Services, form: Omit<ManyForm, 'drivers'>): PageView =>
  addPage(
    {
      title: 'many',
      href: '/ui/add/many',
      waiting: countWaiting(services),
      body: manyView({ ...form, drivers: driversOf(services) }),
    },
    { modules: MODULES },
  );

export const newListPage = (services: Services): PageView =>
  manyPage(services, {
    text: '',
    driver: ['redfish', 'ipmi'].find((name) => services.registry.hardwareTypes.has(name)) ?? '',
    goesOn: false,
    list: undefined,
    rows: [],
    refusal: undefined,
  });

export function discoveredPage(services: Services): PageView {
  const inbox = readInbox(services);
  const networks = services.config.zero_touch.bmc_networks;
  const body = discoveredView({ inbox, networks, now: services.clock.now() });
  return addPage(
    { title: 'discovered', href: '/ui/add/discovered', waiting: countWaiting(services), body },
    { showsTimelines: true },
  );
}

export function networkBootPage(services: Services): PageView {
  const { config, clock } = services;
  const body = bootView({
    unknown: readInbox(services).unknown.filter(({ ignored }) => !ignored),
    givesAddresses: config.dhcp_server.subnet.length > 0,
    servesTftp: config.tftp_server.enabled,
    servesHttp: config.boot_http.port !== null,
    enrolsUnknown: config.auto_discovery.enabled,
    now: clock.now(),
  });
  return addPage(
    { title: 'by network boot', href: '/ui/add/boot', waiting: countWaiting(services), body },
    { showsTimelines: true },
  );
}
