// The log: one JSON object a line on standard output, with every secret masked.
import { type DestinationStream, pino } from 'pino';

export interface Logger {
  debug(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
  /** A logger that adds `fields` (node, request_id, ...) to every line. */
  child(fields: object): Logger;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** `mask` is applied to everything that is logged; errors become type, message and stack first. */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly mask: (fields: Record<string, unknown>) => Record<string, unknown>;
  readonly destination?: DestinationStream;
}): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => options.mask(plain(fields)),
      },
    },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  );
}

function plain(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? plainError(value) : value]),
  );
}

function plainError(error: Error): Record<string, unknown> {
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(error.cause instanceof Error && { cause: plainError(error.cause) }),
  };
}
