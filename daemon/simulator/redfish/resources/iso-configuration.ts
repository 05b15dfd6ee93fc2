// The virtual media of older Supermicros: a configuration names the image, and the collection lists the drive only while the image
// is mounted.
import type { JsonObject } from '../../../model/json.ts';
import { notAllowed } from '../answer.ts';
import type { FakeMachine } from '../machine.ts';
import { collection, link, textOr } from './odata.ts';

/** The last part of the path of the configuration. */
export const CONFIGURATION = 'CfgCD';

export function isoResources(
  machine: FakeMachine,
  media: string,
  slots: Readonly<Record<string, JsonObject>>,
): Readonly<Record<string, JsonObject>> {
  const at = `${media}/${CONFIGURATION}`;
  const mounted = Object.entries(slots).filter(([, { Inserted: inserted }]) => inserted === true);
  const { Host = '', Path = '' } = machine.isoConfiguration;
  const actions = ['Mount', 'UnMount'].map((name) => [
    `#IsoConfig.${name}`,
    { target: `${at}/Actions/IsoConfig.${name}` },
  ]);
  return {
    [media]: {
      ...collection(
        'VirtualMedia',
        mounted.map(([path]) => path),
      ),
      Oem: { Supermicro: { VirtualMediaConfig: link(at) } },
    },
    [at]: { Id: '1', Name: 'VM1', Host, Path, Username: '', Actions: Object.fromEntries(actions) },
    ...Object.fromEntries(mounted),
  };
}

/** Throws Refused. `rest`: the path below the collection's path. */
export function actOnIso(machine: FakeMachine, rest: string): void {
  const [slot = ''] = Object.keys(machine.media);
  const { Host: host, Path: path } = machine.isoConfiguration;
  switch (rest) {
    case `${CONFIGURATION}/Actions/IsoConfig.Mount`:
      return machine.insert(slot, `${textOr(host)}${textOr(path)}`);
    case `${CONFIGURATION}/Actions/IsoConfig.UnMount`:
      return machine.eject(slot);
    default:
      throw notAllowed(`POST to ${rest}`);
  }
}
