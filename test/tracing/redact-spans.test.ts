import { SpanStatusCode } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { redactingExporter } from '../../tracing/redact-spans.ts';

test('spans leave the process without URL queries, passwords and values that are not plain', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(redactingExporter(exporter))] });
  const span = provider.getTracer('test').startSpan('a span', { attributes: { attempt: 2, isLast: false } });
  span.setAttribute('url', 'put to https://ana:word@store.test/a.mp3?X-Amz-Signature=1 failed');
  Object.assign((span as unknown as { attributes: object }).attributes, { memo: { owner: 'ana' }, nothing: undefined });
  span.recordException(new Error('https://store.test/a.mp3?key=1 is gone'));
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'https://store.test/a.mp3#key is gone' });
  span.end();
  await provider.forceFlush();
  const [sent] = exporter.getFinishedSpans();
  expect(sent?.attributes).toEqual({ attempt: 2, isLast: false, url: 'put to https://store.test/a.mp3?… failed' });
  expect(sent?.events[0]?.attributes?.['exception.message']).toBe('https://store.test/a.mp3?… is gone');
  expect(sent?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'https://store.test/a.mp3?… is gone' });
  expect([sent?.name, sent?.spanContext()]).toEqual(['a span', span.spanContext()]);
});
