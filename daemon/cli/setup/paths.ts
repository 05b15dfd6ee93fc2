// The files that setup makes or adds to.
export const CONFIG_FILE = '/etc/ironic-edge/ironic.conf';
export const CERTIFICATE = '/etc/ironic-edge/api.pem';
export const KEY = '/etc/ironic-edge/api-key.pem';
/** Not below the state directory, in which the daemon may write: root does what the journal says. */
export const JOURNAL = '/etc/ironic-edge/setup.journal';

/** The first and last line of what setup adds to a file. */
export const marked = (lines: readonly string[]): string =>
  [
    '# added by "ironic-edge setup"; lines that you edit are yours from then on. "ironic-edge setup --undo" removes them',
    ...lines,
    '# end of what "ironic-edge setup" added',
    '',
  ].join('\n');
