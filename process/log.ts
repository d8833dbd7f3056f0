import { pino, type DestinationStream, type Logger } from 'pino';
import { traceFields } from '../tracing/propagate.ts';
import { requestIdFields } from '../tracing/request-id.ts';
import { instanceId, version } from './this-process.ts';

/**
 * Logs JSON lines to standard output, each with its level by name, its sentence as `msg` and its facts as fields.
 * `service` names the process (docs/observability.md, "Logs").
 */
export function createLog(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service, version, instance: instanceId },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: () => ({ ...requestIdFields(), ...traceFields() }),
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
