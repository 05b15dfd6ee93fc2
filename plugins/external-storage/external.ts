// The `external` storage interface: volumes are made and filled outside the daemon. An instance without an image boots from the
// volume of the node's volume target with boot index 0.
import { booleanOf, capabilityOf, defineStorage, fault, iscsiFlaw, type Task } from '#plugin-api';
import { bootVolumes } from './boot-volumes.ts';

export const externalStorage = defineStorage({
  properties: {},
  validate(task) {
    const boot = bootVolumes(task);
    if (boot === null) return;
    const flaw = iscsiFlaw(boot);
    if (flaw !== undefined)
      throw fault('InvalidParameter', { name: 'the volumes of the node', reason: flaw });
    refuseOtherInterfaces(task);
    refuseIncapable(task);
  },
  async instanceSystem(task) {
    const boot = bootVolumes(task);
    return boot && { kind: 'volume', ...boot };
  },
});

function refuseOtherInterfaces({ node, driver: { boot, deploy } }: Task): void {
  const unsupported = (what: string) =>
    fault('UnsupportedDriverExtension', { driver: node.driver, extension: `booting from a volume ${what}` });
  if (boot.systems?.includes('volume') !== true)
    throw unsupported(
      `through boot interface ${node.boot_interface ?? ''}; choose ipxe or http-ipxe, or set instance_info/image_source to write an image to a disk`,
    );
  if (deploy.bootsVolumes !== true)
    throw unsupported(`with deploy interface ${node.deploy_interface ?? ''}; choose direct`);
}

/** Refuses a machine of which its owner says that it cannot boot from iSCSI. */
function refuseIncapable({ node }: Task): void {
  const capability = capabilityOf(node, 'iscsi_boot');
  if (capability === undefined || booleanOf(capability) === true) return;
  throw fault('InvalidParameter', {
    name: 'capability iscsi_boot',
    reason: `${JSON.stringify(capability)}; expected true for a machine that boots from a volume`,
  });
}
