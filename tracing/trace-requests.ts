import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

interface TracedRequest extends Pick<IncomingMessage, 'method' | 'headers'> {
  path: string;
  /** Express: the registered pattern or list of paths. */
  route: { path: string | string[] };
}

/**
 * Makes a span for each request as a child of the span in its `traceparent`. Its name is the registered path, which
 * contains no ids.
 */
export function traceRequests(request: TracedRequest, response: ServerResponse, next: () => void): void {
  const parent = propagation.extract(context.active(), request.headers);
  const { method = 'GET', route } = request;
  const path = typeof route.path === 'string' ? route.path : request.path;
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
