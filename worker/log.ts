import type { Logger, LogLevel, LogMetadata } from '@temporalio/worker';
import { pino } from 'pino';
import { redactUrlsIn } from '../contract/shown-url.ts';
import { redacted } from './redact.ts';

/** JSON lines on standard output; `msg` is the sentence, the facts stand beside it. */
export function jsonLog(level: string): pino.Logger {
  return pino({ level, base: { process: 'worker' }, timestamp: pino.stdTimeFunctions.isoTime });
}

/** What Temporal's worker, the activities and the workflows log. */
export function temporalLogger(log: pino.Logger): Logger {
  const write = (level: LogLevel, message: string, meta?: LogMetadata) => {
    const name = level.toLowerCase() as Lowercase<LogLevel>;
    log[name](redacted({ ...meta }), redactUrlsIn(message));
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
