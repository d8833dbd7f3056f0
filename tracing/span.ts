import { type Attributes, context, type Context, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { messageOf } from '../contract/unknown-values.ts';

export function startSpan(name: string, attributes: Attributes = {}, parent: Context = context.active()): Span {
  return trace.getTracer('holdfast').startSpan(name, { attributes }, parent);
}

/** Marks the span as failed with the error's sentence, which is redacted before export. */
export function failSpan(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
}

/** Runs the work in a span; spans that the work starts become its children. */
export async function withSpan<Result>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
  parent: Context = context.active(),
): Promise<Result> {
  const span = startSpan(name, attributes, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}
