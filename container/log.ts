import { pino, type DestinationStream, type Logger } from 'pino';
import { traceFields } from '../tracing/propagate.ts';

export type { Logger } from 'pino';

/** JSON lines on standard output, each with the sentence as `msg` and its facts as fields. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const base = { service: 'container' };
  const options = { level, base, timestamp: pino.stdTimeFunctions.isoTime, mixin: traceFields };
  return destination === undefined ? pino(options) : pino(options, destination);
}
