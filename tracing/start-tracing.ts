import { setTimeout as delay } from 'node:timers/promises';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { redactingExporter } from './redact-spans.ts';

export interface Tracing {
  resource: Resource;
  spanProcessor: SpanProcessor;
  /** Exports the remaining spans. */
  end(): Promise<void>;
}

export interface TracingOptions {
  endpoint: string;
  /** Default service name; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override it. */
  service: string;
  version: string;
  /** Identifies the process; OTEL_RESOURCE_ATTRIBUTES overrides it. */
  instanceId: string;
  /** Called when the collector cannot be reached; only spans are lost. */
  onProblem(sentence: string): void;
}

/** While a collector is down, every batch fails; one report per interval is enough. */
const problemIntervalMs = 60_000;

/** A reachable collector accepts the last spans at once. */
const endTimeoutMs = 2_000;

/** Import this module only in a process that makes traces, so that others load nothing of OpenTelemetry's SDK. */
export function startTracing({ endpoint, service, version, instanceId, onProblem }: TracingOptions): Tracing {
  const resource = defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': service,
        'service.version': version,
        'service.instance.id': instanceId,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const spanProcessor = new BatchSpanProcessor(redactingExporter(exporter));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [spanProcessor] });
  let toldAtMs = -Infinity;
  setGlobalErrorHandler((error) => {
    if (performance.now() - toldAtMs < problemIntervalMs) return;
    toldAtMs = performance.now();
    onProblem(`Traces cannot be sent: ${typeof error === 'string' ? error : (error.message ?? error.name)}`);
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    resource,
    spanProcessor,
    async end() {
      await Promise.race([provider.shutdown().catch(() => {}), delay(endTimeoutMs, undefined, { ref: false })]);
    },
  };
}
