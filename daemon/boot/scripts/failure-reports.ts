// Names that a boot script asks for to report a failure of the machine.

const VOLUME_FAILURE = 'volume-failed';

/** The name for which the script of a machine asks that could not boot from its volume. */
export const volumeFailureName = (node: string): string => `nodes/${node}/${VOLUME_FAILURE}`;

/** What a request for the name reports, without the subject; undefined for all other names. */
export const failureText = (name: string): string | undefined =>
  name.startsWith('nodes/') && name.endsWith(`/${VOLUME_FAILURE}`)
    ? 'could not boot from its volume and tries again: the target does not answer or refuses the login, or the volume has no boot loader for this firmware; iPXE says which on the screen of the machine'
    : undefined;
