import { context, propagation, trace } from '@opentelemetry/api';

/** Header `traceparent` of the current trace; empty outside a trace. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Fields of the current trace for a log line. */
export function traceFields(): Record<string, string> {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
