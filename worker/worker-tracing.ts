import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryActivityOutboundInterceptor,
} from '@temporalio/interceptors-opentelemetry-v2/lib/worker/index.js';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { instanceId, version } from '../process/this-process.ts';
import { startTracing, type TracingOptions } from '../tracing/start-tracing.ts';

/** Options for workers of a process that makes traces, beside the bundle with the interceptors of workflows. */
export interface WorkerTracing {
  activityInterceptors: ActivityInterceptorsFactory;
  // oxlint-disable-next-line typescript/no-explicit-any -- as the SDK declares it
  sinks: InjectedSinks<any>;
  end(): Promise<void>;
}

export function startWorkerTracing(endpoint: string, onProblem: TracingOptions['onProblem']): WorkerTracing {
  const { resource, spanProcessor, end } = startTracing({
    endpoint,
    service: 'holdfast-worker',
    version,
    instanceId,
    onProblem,
  });
  return {
    activityInterceptors: (context) => ({
      // Local activities only read the worker's memory.
      ...(!context.info.isLocal && { inbound: new OpenTelemetryActivityInboundInterceptor(context) }),
      outbound: new OpenTelemetryActivityOutboundInterceptor(context),
    }),
    // Workflow spans end in the sandbox, once for each run; a replay does not repeat them.
    sinks: { exporter: makeWorkflowExporter(spanProcessor, resource) },
    end,
  };
}
