/**
 * What do traces cost when they are off and when they are on? The bench reports the processor time of a span around
 * nothing, and of a replay of all recorded histories, which is a worker's cost for workflow code.
 */
import { NoopSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { emptyResource } from '@opentelemetry/resources';
import { makeWorkflowExporter } from '@temporalio/interceptors-opentelemetry-v2/lib/worker/index.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { readRecordedHistories } from '../test/support/recorded-histories.ts';
import { TraceReceiver } from '../test/fixtures/trace-receiver.ts';
import { withSpan } from '../tracing/span.ts';
import { startTracing } from '../tracing/start-tracing.ts';
import { ensureWorkflowBundle } from '../worker/workflow-bundle.ts';
import { inUnit, report } from './report.ts';

const spans = 10_000;
const rounds = 5;

/** CPU seconds of all threads: workflow code has threads of its own. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function microsecondsOfSpan(): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = cpuSeconds();
    for (let index = 0; index < spans; index += 1) await withSpan('nothing', {}, async () => {});
    times.push(((cpuSeconds() - start) * 1e6) / spans);
  }
  return times;
}

async function msOfReplay(isTraced: boolean): Promise<number[]> {
  const workflowBundle = await ensureWorkflowBundle({ isEncrypting: false, isTraced });
  const sinks = isTraced ? { exporter: makeWorkflowExporter(new NoopSpanProcessor(), emptyResource()) } : {};
  const histories = await readRecordedHistories();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = cpuSeconds();
    for await (const { error } of Worker.runReplayHistories({ workflowBundle, sinks }, histories)) {
      if (error !== undefined) throw error;
    }
    times.push(((cpuSeconds() - start) * 1e3) / histories.length);
  }
  return times;
}

Runtime.install({ logger: new DefaultLogger('ERROR') });
const off = { span: await microsecondsOfSpan(), replays: await msOfReplay(false) };
const receiver = await TraceReceiver.start();
const tracing = startTracing({
  version: '0',
  instanceId: 'bench',
  endpoint: receiver.url,
  service: 'bench',
  onProblem: (sentence) => console.error(sentence),
});
const on = { span: await microsecondsOfSpan(), replays: await msOfReplay(true) };
await tracing.end();
await receiver.stop();
report('traces', 'an empty span', { off: inUnit('µs', ...off.span), on: inUnit('µs', ...on.span) });
report('traces', 'replay of a recorded history', {
  off: inUnit('ms', ...off.replays),
  on: inUnit('ms', ...on.replays),
});
process.exit(0);
