import { DefaultLogger, type Logger, type LogLevel } from '@temporalio/worker';
import type { pino } from 'pino';
import { redactUrlsIn } from '../contract/shown-url.ts';
import { redactFields } from './redact.ts';

/** Logger for Temporal's worker, activities and workflows. */
export function temporalLogger(log: pino.Logger): Logger {
  return new DefaultLogger('TRACE', ({ level, message, meta }) => {
    const name = level.toLowerCase() as Lowercase<LogLevel>;
    log[name](redactFields({ ...meta }), redactUrlsIn(message));
  });
}
