// The log: one JSON object per line on standard output, with secrets masked and long values cut.
import { type DestinationStream, type Logger as PinoLogger, type LoggerOptions, pino } from 'pino';
import { visibleText } from './plain-text.ts';

export interface Logger {
  debug(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
  /** A logger that adds `fields` (node, request_id, ...) to every line. */
  child(fields: object): Logger;
}

/** A log that drops everything. */
export const silentLog: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };

export type LogDestination = DestinationStream;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export type Mask = (fields: Record<string, unknown>) => Record<string, unknown>;

/**
 * Errors are logged as type, message, stack and cause. Then `mask` is applied to all fields and messages, including those of
 * child loggers. Last, long texts, lists and objects are cut, because some of them come from machines and clients; a note says
 * how much is missing.
 */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly mask: Mask;
  readonly destination?: LogDestination;
}): Logger {
  const settings: LoggerOptions = {
    level: options.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
  };
  const destination = options.destination ?? standardOutput();
  // for those who read the log on a terminal
  const visible = { write: (line: string) => destination.write(visibleText(line)) };
  return masking(pino(settings, visible), options.mask);
}

/** How much the log buffers while the reader of standard output is stalled; further lines are lost. */
const LARGEST_BACKLOG_BYTES = 16_777_216;

// Asynchronous, so that a stalled reader does not block the API. The buffer is written before the process exits.
const standardOutput = () => pino.destination({ fd: 1, sync: false, maxLength: LARGEST_BACKLOG_BYTES });

function masking(log: PinoLogger, mask: Mask): Logger {
  const shaped = (fields: object, message?: string) =>
    cutEntries(mask({ ...plainObject(fields, []), ...(message !== undefined && { msg: message }) }));
  const write = (level: Exclude<LogLevel, 'silent'>) => (fields: object, message?: string) => {
    if (!log.isLevelEnabled(level)) return;
    log[level](shaped(fields, message));
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => masking(log.child(shaped(fields)), mask),
  };
}

const LONGEST_TEXT = 4096;
const LONGEST_LIST = 50;
const MOST_ENTRIES = 100;

function cut(value: unknown): unknown {
  if (typeof value === 'string') {
    const missing = value.length - LONGEST_TEXT;
    return missing > 0 ? `${value.slice(0, LONGEST_TEXT)}... (${missing} more characters)` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return cutEntries(value);
  const missing = value.length - LONGEST_LIST;
  return [...value.slice(0, LONGEST_LIST).map(cut), ...(missing > 0 ? [`... (${missing} more)`] : [])];
}

function cutEntries(object: object): Record<string, unknown> {
  const entries = Object.entries(object);
  const missing = entries.length - MOST_ENTRIES;
  const kept = entries.slice(0, MOST_ENTRIES).map(([key, value]) => [String(cut(key)), cut(value)]);
  return Object.fromEntries(missing > 0 ? [...kept, ['...', `${missing} more`]] : kept);
}

/** Converts a value that will be logged into plain JSON. `around`: the objects that contain `value`, to detect cycles. */
function plain(value: unknown, around: readonly object[]): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (around.includes(value)) return '[circular]';
  if (Array.isArray(value)) return value.map((each) => plain(each, [...around, value]));
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return plain(value.toJSON(), [...around, value]);
  return plainObject(value, around);
}

function plainObject(object: object, around: readonly object[]): Record<string, unknown> {
  const fields = object instanceof Error ? errorFields(object) : object;
  const inside = [...around, object];
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, plain(value, inside)]));
}

function errorFields({ name, message, stack, cause }: Error): object {
  return { type: name, message, stack, ...(cause !== undefined && { cause }) };
}
