import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryActivityOutboundInterceptor,
} from '@temporalio/interceptors-opentelemetry-v2/lib/worker/index.js';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { startTracing, type TracingOptions } from '../tracing/start-tracing.ts';

/** What the workers of a process that makes traces are given, beside the bundle with the interceptors of workflows. */
export interface WorkerTracing {
  activityInterceptors: ActivityInterceptorsFactory;
  // oxlint-disable-next-line typescript/no-explicit-any -- as the SDK declares it
  sinks: InjectedSinks<any>;
  end(): Promise<void>;
}

export function startWorkerTracing(endpoint: string, onProblem: TracingOptions['onProblem']): WorkerTracing {
  const { resource, spanProcessor, end } = startTracing({ endpoint, service: 'holdfast-worker', onProblem });
  return {
    activityInterceptors: (context) => ({
      // Local ones are a look into the worker's memory.
      ...(!context.info.isLocal && { inbound: new OpenTelemetryActivityInboundInterceptor(context) }),
      outbound: new OpenTelemetryActivityOutboundInterceptor(context),
    }),
    // Spans of workflows end in their sandbox, once for each run: not again where a history is replayed.
    sinks: { exporter: makeWorkflowExporter(spanProcessor, resource) },
    end,
  };
}
