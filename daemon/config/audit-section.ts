// The audit trail.
import { integer, path, section } from './typed-options.ts';

export const auditSection = section({
  file: path(
    '$state_path/audit.log',
    'The file that every request which is meant to change something is recorded in, with time, user, address, what it asked for and the answer: one JSON object a line. ironic-edge audit shows it.',
  ),
  max_size: integer(
    16,
    { minimum: 0, maximum: 4096 },
    'The size in MiB at which the audit file becomes FILE.1, in place of the one before it. 0: nothing is recorded.',
  ),
});
