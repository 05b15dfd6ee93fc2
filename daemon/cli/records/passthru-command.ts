// `ironic-edge node|driver passthru call`: calls a method that a vendor's plugin adds.
import type { JsonObject } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { type Command, commandOf, OUTPUT, TEXT, WrongArguments } from '../command.ts';
import { formatted, OUTPUT_HELP } from '../text-table.ts';
import { assignmentIn, assignedBody } from './assignments.ts';
import { commandLabel, pathOf, type RecordKind } from './record-kinds.ts';
import { shownOf, tableText } from './print-records.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export function passthruCallCommand(kind: Pick<RecordKind, 'command' | 'path'>): Command {
  const label = commandLabel(kind);
  return commandOf({
    usage: `usage: ironic-edge ${kind.command} passthru call ${label} METHOD [NAME=VALUE]... [--http-method METHOD]
                                        [--format FORMAT]

Calls a vendor method; "ironic-edge ${kind.command} passthru list ${label}" lists the methods. NAME=TEXT passes a text as the
argument NAME, and NAME:=JSON any JSON value.

  --http-method METHOD  one that the vendor method accepts, of ${METHODS.join(', ')}; the default is POST
${OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
    options: { 'http-method': { ...TEXT, default: 'POST' }, ...OUTPUT },
    positionals: [label, 'METHOD'],
    rest: 'NAME=VALUE',
    isRestOptional: true,
    async run({ values, positionals: [name, vendorMethod], rest }, { environment, stdout }) {
      const method = methodIn(values['http-method']);
      const given = assignedBody(rest.map(assignmentIn));
      // other servers of this API ignore the body of GET and DELETE requests
      const hasBody = method !== 'GET' && method !== 'DELETE';
      if (!hasBody && Object.hasOwn(given, 'method'))
        throw new WrongArguments(
          `${method} cannot send an argument named method: the query parameter "method" holds the name of the vendor method`,
        );
      const query = new URLSearchParams({ method: vendorMethod, ...(hasBody ? {} : textsOf(given)) });
      const path = `${pathOf(kind, name)}/vendor_passthru?${query.toString()}`;
      const { body } = await createApiClient(environment).request(method, path, hasBody ? given : undefined);
      if (body !== null) stdout.write(formatted(values, body, (reply) => tableText(shownOf(reply))));
      return 0;
    },
  });
}

function methodIn(text: string): (typeof METHODS)[number] {
  const method = METHODS.find((each) => each === text.toUpperCase());
  if (method !== undefined) return method;
  throw new WrongArguments(`--http-method ${JSON.stringify(text)}: expected one of ${METHODS.join(', ')}`);
}

const textsOf = (given: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
