import type { WorkflowClientInterceptor } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry-v2/lib/client/index.js';

/** The start of a run as a span, which the run finds in its headers. Not the queries of each second, and what else a client asks. */
export function traceStarts(): WorkflowClientInterceptor {
  const library = new OpenTelemetryWorkflowClientInterceptor();
  return {
    start: (input, next) => library.start(input, next),
    startWithDetails: (input, next) => library.startWithDetails(input, next),
  };
}
