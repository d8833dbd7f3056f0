import type { WorkflowClientInterceptor } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry-v2/lib/client/index.js';

/**
 * Traces starts of runs; the run finds the span in its headers. Queries, sent every second, and other calls make no
 * spans.
 */
export function traceStarts(): WorkflowClientInterceptor {
  const library = new OpenTelemetryWorkflowClientInterceptor();
  return {
    start: (input, next) => library.start(input, next),
    startWithDetails: (input, next) => library.startWithDetails(input, next),
  };
}
