// Sign-in at an OpenID Connect provider.
import { list, pathOrNull, section, text, textOrNull } from './typed-options.ts';

const valuesOf = (role: string) =>
  list(
    [],
    `The values of roles_claim that give the role ${role}. A user with values of several roles gets the highest.`,
  );

export const oidcSection = section({
  issuer: textOrNull(
    'The URL of the OpenID Connect provider at which people may sign in on the page, as in https://sso.example.com/realms/site: the one to which its /.well-known/openid-configuration belongs. http only on this host. It needs [DEFAULT] auth_strategy = http_basic. Not set: people sign in with passwords only.',
  ),
  client_id: text('', 'The id under which the provider knows this daemon.'),
  client_secret: textOrNull(
    'The secret that the provider has given this daemon. Not set: the daemon is a public client.',
  ),
  scopes: list(
    ['openid', 'profile', 'email'],
    'What the daemon asks the provider for; openid is always asked for. Some providers tell the groups of a user only for a scope such as groups.',
  ),
  user_claim: text(
    'preferred_username',
    'The claim with the name of the user, which must be unique at the provider. The log, the audit file and the histories of nodes show it after oidc:, so it is never the name of a user of the password file.',
  ),
  roles_claim: text(
    'groups',
    'The claim with the groups or roles of the user: a text or a list of texts. A dot leads into an object, as in realm_access.roles.',
  ),
  readers: valuesOf('reader'),
  operators: valuesOf('operator'),
  admins: valuesOf('admin'),
  button: text('Single sign-on', 'What the button of the sign-in page says after "Sign in with".'),
  ca_file: pathOrNull(
    "The certificates (PEM) that the provider's certificate is checked against. Not set: those that this host trusts.",
  ),
});
