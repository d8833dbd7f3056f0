import { pino, type DestinationStream, type Logger } from 'pino';
import { traceFields } from '../tracing/propagate.ts';

/**
 * Logs JSON lines to standard output, each with its sentence as `msg` and its facts as fields. `service` names the
 * process.
 */
export function createLog(service: string, level: string, destination?: DestinationStream): Logger {
  const options = { level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime, mixin: traceFields };
  return destination === undefined ? pino(options) : pino(options, destination);
}
