// Reads from the records of a node's volumes what its machine needs to boot from them.
import {
  fault,
  ISCSI_WAYS,
  type IscsiBoot,
  type IscsiPath,
  type Json,
  pathFlaw,
  type Task,
  type VolumeTarget,
} from '#plugin-api';

const ISCSI = 'iscsi';

/**
 * Returns the volumes of an instance that boots from one; null when instance_info has an image, or no target has boot index 0.
 * Throws InvalidParameter when a record lacks something.
 */
export function bootVolumes(task: Task): IscsiBoot | null {
  const { targets } = task.volumes;
  const boot = targets.find(({ boot_index: index }) => index === 0);
  if (boot === undefined || isText(task.node.instance_info['image_source'])) return null;
  if (boot.volume_type !== ISCSI)
    throw wrong(boot, `volume_type ${JSON.stringify(boot.volume_type)} cannot be booted; expected ${ISCSI}`);
  const attached = [boot, ...targets.filter((target) => target !== boot && target.volume_type === ISCSI)];
  return {
    initiator: initiatorOf(task),
    login: commonLogin(attached),
    volumes: attached.map(pathsOf),
  };
}

function initiatorOf({ node, volumes: { connectors } }: Task): string {
  const named = connectors.filter(({ type }) => type === 'iqn');
  const [connector] = named;
  if (connector !== undefined && named.length === 1) return connector.connector_id;
  throw fault('InvalidParameter', {
    name: 'the volume connectors of the node',
    reason:
      connector === undefined
        ? `none has type iqn, so the machine has no name to log in with; create one, such as: baremetal volume connector create --node ${node.uuid} --type iqn --connector-id iqn.2026-01.example:${node.uuid}`
        : `${named.length} have type iqn, but a machine logs in with one name; delete all but one`,
  });
}

/** Returns the first ways to the volume. The three properties have the same number of values, or one that holds for all ways. */
function pathsOf(target: VolumeTarget): readonly IscsiPath[] {
  const portals = valuesOf(target, 'target_portal');
  const [names, luns] = [valuesOf(target, 'target_iqn'), valuesOf(target, 'target_lun')];
  const short = Object.entries({ target_iqn: names, target_lun: luns }).find(
    ([, values]) => values.length !== 1 && values.length !== portals.length,
  );
  if (short !== undefined)
    throw wrong(
      target,
      `properties/${short[0]}s has ${short[1].length} values; expected one, or as many as target_portals has: ${portals.length}`,
    );
  const paths = portals.map((portal, index) => {
    const path = {
      portal: textIn(portal),
      target: textIn(names[index] ?? names[0]),
      lun: numberIn(luns[index] ?? luns[0]),
    };
    const flaw = pathFlaw(path);
    if (flaw !== undefined) throw wrong(target, flaw);
    return path;
  });
  return paths.slice(0, ISCSI_WAYS);
}

/** Returns the values of a property, or of the list whose name has an `s` more. */
function valuesOf(target: VolumeTarget, name: string): readonly Json[] {
  const { [name]: one, [`${name}s`]: list } = target.properties;
  const values = one !== undefined && one !== '' ? [one] : Array.isArray(list) ? list : [];
  if (values.length > 0) return values;
  throw wrong(target, `properties/${name} is missing`);
}

const textIn = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

/** Clients write numbers as text, too. Returns NaN for all else. */
function numberIn(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
}

interface Login {
  readonly username: string;
  readonly password: string;
}

/** iPXE has one login for all volumes. */
function commonLogin(targets: readonly VolumeTarget[]): Login | null {
  let common: Login | null = null;
  for (const target of targets) {
    const login = loginOf(target);
    if (login === null) continue;
    if (common !== null && (login.username !== common.username || login.password !== common.password))
      throw wrong(
        target,
        'its auth_username or auth_password is another than that of another volume of the node, but iPXE logs in to all with one',
      );
    common = login;
  }
  return common;
}

function loginOf(target: VolumeTarget): Login | null {
  const { auth_method: method, auth_username: username, auth_password: password } = target.properties;
  const asked = isText(method) || isText(username) || isText(password);
  if (!asked) return null;
  if (isText(method) && method.toUpperCase() !== 'CHAP')
    throw wrong(target, `properties/auth_method ${JSON.stringify(method)} is unknown; expected CHAP`);
  if (isText(username) && isText(password)) return { username, password };
  throw wrong(target, `properties/${isText(username) ? 'auth_password' : 'auth_username'} is missing`);
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

const wrong = ({ uuid }: VolumeTarget, reason: string) =>
  fault('InvalidParameter', { name: `volume target ${uuid}`, reason });
