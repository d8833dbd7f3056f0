import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** A request as a span below the one that its `traceparent` names. It stands before handlers of one path each. */
export function traceRequests(
  request: Pick<IncomingMessage, 'method' | 'headers'> & { path: string },
  response: ServerResponse,
  next: () => void,
): void {
  const parent = propagation.extract(context.active(), request.headers);
  const { method = 'GET', path } = request;
  const span = trace
    .getTracer('holdfast')
    .startSpan(`${method} ${path}`, { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } }, parent);
  response.once('close', () => {
    span.setAttribute('http.response.status_code', response.statusCode);
    if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
  context.with(trace.setSpan(parent, span), next);
}
