import type { Logger, LogLevel, LogMetadata } from '@temporalio/worker';
import type { pino } from 'pino';
import { redactUrlsIn } from '../contract/shown-url.ts';
import { redactFields } from './redact.ts';

/** Logger for Temporal's worker, activities and workflows. */
export function temporalLogger(log: pino.Logger): Logger {
  const write = (level: LogLevel, message: string, meta?: LogMetadata) => {
    const name = level.toLowerCase() as Lowercase<LogLevel>;
    log[name](redactFields({ ...meta }), redactUrlsIn(message));
  };
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}
