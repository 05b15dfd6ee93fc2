// The roles of users.
import { typed } from '../../lib/json/typed-schema.ts';
import { type Role, roles } from '../../model/roles.ts';
import { list, pathOrNull, section } from './typed-options.ts';

export const usersSection = section({
  readers: list(
    [],
    'The users that may see everything but secrets, and change nothing. A user in more than one of the lists readers, operators and admins has the lowest of these roles.',
  ),
  operators: list(
    [],
    'The users that may also work on machines that are enrolled: power, provisioning, maintenance, console, allocations, and the fields of a node except its driver, interfaces and credentials.',
  ),
  admins: list([], 'The users that may do everything.'),
  default_role: typed<Role>({
    type: 'string',
    enum: roles,
    default: 'admin',
    description: 'The role of users that are in none of the lists.',
  }),
  token_file: pathOrNull(
    'A file with the tokens of programs, one USER:DIGEST a line, as ironic-edge token prints them. It is read only with [DEFAULT] auth_strategy = http_basic. Changes take effect at once. Other users of this host must not have access to it. Not set: there are no tokens.',
  ),
});
