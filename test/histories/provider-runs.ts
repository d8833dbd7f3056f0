import { setTimeout as delay } from 'node:timers/promises';
import { limiterSignals } from '../../contract/limiter.ts';
import {
  oneWord,
  rateLimitAnswer,
  type TranscriptionScript,
  TranscriptionServer,
} from '../fixtures/transcription-server.ts';
import { ProcessingRuns } from '../support/processing-runs.ts';
import type { TimeSkipping } from '../support/time-skipping.ts';
import type { Recorder } from './recorder.ts';

const key = 'test/model';
const wide = { maxConcurrent: 5, requestsPerMinute: 100_000, requestsPerHour: 1_000_000, burstLimit: 10_000 };
const failure = (status: number, message: string) =>
  ({ kind: 'answer', status, body: { error: { message } } }) as const;

interface Scenario {
  name: string;
  chunks: number;
  script: TranscriptionScript;
  limits?: object;
  throttled?: string;
  /** Records the run while its calls are in progress. */
  isOpen?: boolean;
}

const scenarios: Scenario[] = [
  { name: 'completed', chunks: 3, script: oneWord },
  {
    name: 'retried',
    chunks: 3,
    script: (call) => (call.attempt === 1 && call.index === 1 ? failure(500, 'Try again') : oneWord(call)),
  },
  { name: 'partial', chunks: 3, script: (call) => (call.index === 1 ? failure(400, 'Bad audio') : oneWord(call)) },
  { name: 'failed', chunks: 2, script: () => failure(400, 'Bad audio') },
  { name: 'unauthorized', chunks: 3, script: () => failure(401, 'Incorrect API key') },
  {
    name: 'throttled',
    chunks: 3,
    throttled: key,
    script: (call) =>
      call.number === 0 ? rateLimitAnswer('requests per second limit exceeded', { 'retry-after': '1' }) : oneWord(call),
  },
  { name: 'waiting', chunks: 4, limits: { ...wide, maxConcurrent: 1 }, isOpen: true, script: () => ({ kind: 'hang' }) },
  // About 200 chunks fill a run's history.
  { name: 'continued', chunks: 260, script: oneWord },
];

/** Records runs and their limiters against a scripted provider, without time skipping. */
export async function recordProviderRuns(time: TimeSkipping, recorder: Recorder, folder: string): Promise<void> {
  const { client } = time.environment;
  for (const { name, chunks, script, limits = wide, throttled = '', isOpen = false } of scenarios) {
    const server = await TranscriptionServer.start(script);
    const setup = { time, folder, providerUrl: server.url, environment: name, limits: { [key]: limits }, throttled };
    await ProcessingRuns.with(setup, async (runs) => {
      const handle = await runs.start('run', key, chunks);
      const limiter = runs.limiter(key).handle;
      if (isOpen) {
        while (server.inFlight === 0) await delay(50);
        await recorder.recordChain(`processing-${name}`, client, handle.workflowId);
        await limiter.signal(limiterSignals.throttle, { seconds: 60, reason: 'an operator' });
        await limiter.signal(limiterSignals.setLimits, { maxConcurrent: 2 });
        await limiter.signal(limiterSignals.resume);
        await handle.cancel();
        await handle.result().catch(() => undefined);
        await recorder.recordChain('processing-cancelled', client, handle.workflowId);
      } else {
        await handle.result();
        await recorder.recordChain(`processing-${name}`, client, handle.workflowId);
      }
      await recorder.recordChain(`limiter-${name}`, client, limiter.workflowId);
    });
    await server.stop();
  }
}
