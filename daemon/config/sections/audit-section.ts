// The audit trail.
import { integer, path, section } from './typed-options.ts';

export const auditSection = section({
  file: path(
    '$state_path/audit.log',
    'The audit file. It records every request that could change something or that attaches to a serial console, with time, user, address, request and answer, as one JSON object per line. ironic-edge audit shows it.',
  ),
  max_size: integer(
    16,
    { minimum: 0, maximum: 4096 },
    'The size in MiB at which the audit file is renamed to FILE.1, replacing the previous FILE.1. 0: nothing is recorded.',
  ),
});
