// Which of the options that operators set a reply contains: those that the machine asks for, as far as they fit.
import type { SetOption } from '../../../config/dhcp-options/set-options.ts';
import { type DhcpOptions, optionCode } from '../options.ts';
import type { DhcpMessage } from '../wire.ts';

/** Sizes in bytes. A client's limit (option 57) includes the headers of IP and UDP; MOST fills an Ethernet frame. */
const [HEADERS, LEAST, MOST] = [28, 548, 1472];

/** The options that say what to boot. The daemon alone sets them in a reply that names a boot file. */
const OF_BOOT: ReadonlySet<number> = new Set([
  optionCode.vendorSpecific,
  optionCode.vendorClass,
  optionCode.tftpServer,
  optionCode.bootFile,
  optionCode.tftpAddress,
]);

/** Like `wantedIn`, of IPv4, without what the daemon sets itself. */
export const wantedOptions = (
  { options }: DhcpMessage,
  set: readonly SetOption[],
  namesBootFile: boolean,
): readonly SetOption[] =>
  wantedIn(options.get(optionCode.parameterList), set).filter(
    ({ code }) => !(namesBootFile && OF_BOOT.has(code)),
  );

/**
 * Returns the options that the machine lists as wanted, and those that it gets `always`; all of them if its request has no list.
 * `set`: of one code, the first counts.
 */
export function wantedIn(
  list: Iterable<number> | undefined,
  set: readonly SetOption[],
): readonly SetOption[] {
  const wanted = list && new Set(list);
  const first = new Map(set.toReversed().map((option) => [option.code, option]));
  return set.filter(
    (option) => first.get(option.code) === option && (option.always || (wanted?.has(option.code) ?? true)),
  );
}

interface Fitting {
  readonly kept: readonly SetOption[];
  readonly leftOut: readonly SetOption[];
}

/** Keeps the wanted options, in their order, that the machine has room for beside the other options of the reply. */
export function fittingOptions(
  request: DhcpMessage,
  wanted: readonly SetOption[],
  others: DhcpOptions,
): Fitting {
  const limit = request.options.get(optionCode.largestMessage);
  const largest = limit?.length === 2 ? Buffer.from(limit).readUInt16BE() - HEADERS : 0;
  let room = Math.min(Math.max(largest, LEAST), MOST) - sizeOf(others);
  const [kept, leftOut]: [SetOption[], SetOption[]] = [[], []];
  for (const option of wanted) {
    const size = 2 + option.value.length;
    if (size <= room) {
      room -= size;
      kept.push(option);
    } else leftOut.push(option);
  }
  return { kept, leftOut };
}

// the header with its cookie, the options with code and length, pads, and the end
const sizeOf = (options: DhcpOptions): number =>
  [...options.values()].reduce((size, value) => size + 2 + value.length, 240 + 3);
