// `ironic-edge token USER`: makes a token for a program that uses the API.
import { commandOf, TEXT, WrongArguments } from '../command.ts';

const USAGE = `usage: ironic-edge token USER [--until YYYY-MM-DD]

Makes a token for a program that uses the API as USER; [users] sets the role of USER. Prints the token on standard error, once,
and on standard output the line that makes the daemon accept the token:

  ironic-edge token prometheus >>/etc/ironic-edge/tokens

[users] token_file names the file. A program sends the token as "Authorization: Bearer TOKEN", or as the password of USER.

  --until YYYY-MM-DD  the token is valid until that day begins (UTC); without it, until its line is removed
`;

export const tokenCommand = commandOf({
  usage: USAGE,
  options: { until: TEXT },
  positionals: ['USER'],
  async run({ values: { until }, positionals: [user] }, { stdout, stderr }) {
    const { canHoldToken, isDay, newToken, tokenLine } = await import('../../http/login/tokens.ts');
    if (until !== undefined && !isDay(until))
      throw new WrongArguments(`--until ${JSON.stringify(until)}: expected a day such as 2027-01-31`);
    if (!canHoldToken(user))
      throw new WrongArguments(
        `USER ${JSON.stringify(user)}: expected a name of up to 255 characters without colons, blanks and control characters`,
      );
    const { token, digest } = newToken();
    stderr.write(`${token}\n`);
    stdout.write(`${tokenLine({ user, until: until ?? null }, digest)}\n`);
    return 0;
  },
});
