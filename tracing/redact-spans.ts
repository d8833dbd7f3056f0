import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { redactUrlsIn } from '../contract/shown-url.ts';

/** Removes objects, such as a run's memo, and URL queries, which Temporal's interceptors and errors add. */
function redactAttributes(attributes: Attributes): Attributes {
  const shown: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') shown[name] = redactUrlsIn(value);
    else if (typeof value === 'number' || typeof value === 'boolean') shown[name] = value;
  }
  return shown;
}

function redactSpan(span: ReadableSpan): ReadableSpan {
  const { message } = span.status;
  return Object.create(span, {
    attributes: { value: redactAttributes(span.attributes) },
    events: {
      value: span.events.map((event) => ({ ...event, attributes: redactAttributes(event.attributes ?? {}) })),
    },
    status: { value: { ...span.status, ...(message !== undefined && { message: redactUrlsIn(message) }) } },
  }) as ReadableSpan;
}

/** Redacts every span, whatever made it: spans leave the process only through this exporter. */
export function redactingExporter(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans.map(redactSpan), done),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  };
}
