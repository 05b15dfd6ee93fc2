// Serial consoles: the ports at which they are offered, and how much of their output is kept.
import { integer, list, seconds, section, textOrNull } from './typed-options.ts';

export const consoleSection = section({
  port_range: list(
    [],
    'The TCP ports of serial consoles, as in 10000:10100; the last of a range is not used. A port needs no login: whoever reaches it can type on the console. Empty: only nodes with their own port (ipmi_terminal_port) have one.',
  ),
  socat_address: textOrNull(
    'The IP address at which the TCP ports of serial consoles are opened. Not set: [DEFAULT] my_ip.',
  ),
  terminal_timeout: seconds(
    600,
    0,
    'The time in seconds after which a client of the TCP port of a serial console is disconnected if it has sent nothing; 0: never.',
  ),
  log_limit: integer(
    1_048_576,
    { minimum: 4096, maximum: 4_194_304 },
    'How many bytes of the output of a machine on its enabled serial console are kept.',
  ),
});
