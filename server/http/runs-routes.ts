import { type Request, Router } from 'express';
import pMap from 'p-map';
import {
  BatchEnvelope,
  type BatchResult,
  BatchRun,
  IdempotencyKey,
  NewRunRequest,
  PriorityRequest,
  RerunRequest,
  RunsQuery,
} from '../../contract/server/run.ts';
import { ShareRequest } from '../../contract/server/share.ts';
import { TranscriptRequest } from '../../contract/server/transcript.ts';
import { Transcript, TranscriptSegment, TranscriptWord } from '../../contract/transcript/transcript.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import type { RunService } from '../runs/run-service.ts';
import { noteForAudit } from '../access/audit.ts';
import type { SharedRuns } from '../runs/shared-runs.ts';
import { authorize } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import { ProblemError } from '../problem-error.ts';
import { asProblem } from './failures.ts';
import { parseRequest, requireItems } from './parse.ts';
import { readJson } from './read-json.ts';

/** Concurrent actions of one batch. */
const batchConcurrency = 8;

export function runsRouter(runs: RunService, shared: SharedRuns): Router {
  const router = Router();
  router.get('/api/runs', async (request, response) => {
    const caller = authorize(request, 'read');
    response.json(await runs.list(parseRequest(RunsQuery, request.query), caller));
  });
  router.post('/api/runs', readJson, async (request, response) => {
    const caller = authorize(request, 'run');
    const wanted = parseRequest(NewRunRequest, request.body);
    const { run, isNew } = await runs.start(wanted, caller, idempotencyKeyOf(request));
    response
      .status(isNew ? 201 : 200)
      .location(pathOf(run.id))
      .json(run);
  });
  router.post('/api/runs\\:batch', readJson, async (request, response) => {
    const caller = authorize(request, 'run');
    const batch = parseRequest(BatchEnvelope, request.body);
    const result = await runBatch(runs, batch, caller);
    noteForAudit(response, { items: auditItemsOf(batch, result) });
    response.json(result);
  });
  router.get('/api/runs/:id', async (request, response) => {
    const caller = authorize(request, 'read');
    response.json(await runs.details(request.params.id, caller));
  });
  router.post('/api/runs/:id/cancel', async (request, response) => {
    const caller = authorize(request, 'run');
    response.status(202).json(await runs.cancel(request.params.id, caller));
  });
  router.post('/api/runs/:id/priority', readJson, async (request: Request<{ id: string }>, response) => {
    const caller = authorize(request, 'run');
    const wanted = parseRequest(PriorityRequest, request.body);
    response.status(202).json(await runs.setPriority(request.params.id, wanted, caller));
  });
  router.post('/api/runs/:id/rerun', readJson, async (request: Request<{ id: string }>, response) => {
    const caller = authorize(request, 'run');
    const { input } = parseRequest(RerunRequest, request.body ?? {});
    const run = await runs.rerun(request.params.id, input, caller);
    response.status(201).location(pathOf(run.id)).json(run);
  });
  router.post('/api/runs/:id/share', readJson, async (request: Request<{ id: string }>, response) => {
    const caller = authorize(request, 'run');
    const wanted = parseRequest(ShareRequest, request.body ?? {});
    response.status(201).json(await shared.share(request.params.id, wanted, caller));
  });
  router.put('/api/runs/:id/transcript', readJson, async (request: Request<{ id: string }>, response) => {
    const caller = authorize(request, 'run');
    const corrected = parseTranscript(request.body);
    const saved = await runs.saveTranscript(request.params.id, knownVersionOf(request), corrected, caller);
    response.status(201).set('ETag', `"${saved.version}"`).json(saved);
  });
  return router;
}

async function runBatch(runs: RunService, batch: BatchEnvelope, caller: Caller): Promise<BatchResult> {
  switch (batch.action) {
    case 'start':
      return await each(batch.runs, async (run) => {
        const { idempotencyKey, ...wanted } = parseRequest(BatchRun, run);
        const started = await runs.start(wanted, caller, idempotencyKey);
        return { id: started.run.id, status: started.isNew ? 201 : 200 };
      });
    case 'cancel':
      return await each(batch.ids, async (id) => ({ id: (await runs.cancel(id, caller)).id, status: 202 }));
    case 'rerun':
      return await each(batch.ids, async (id) => ({ id: (await runs.rerun(id, undefined, caller)).id, status: 201 }));
  }
}

/** The runs of a batch that the audit log names; a start has no run before it succeeds. */
function auditItemsOf(batch: BatchEnvelope, { results }: BatchResult) {
  const action = `run.${batch.action}`;
  return results.map(({ id, status, problem }, index) => {
    const end = { action, status, code: problem?.code };
    if (batch.action === 'start') return { ...end, target: id };
    return { ...end, target: batch.ids[index], created: batch.action === 'rerun' ? id : undefined };
  });
}

async function each<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<BatchResult['results'][number]>,
): Promise<BatchResult> {
  const tryOne = async (item: Item): Promise<BatchResult['results'][number]> => {
    try {
      return await act(item);
    } catch (error) {
      const problem = asProblem(error);
      return { status: problem.status, problem: problem.toBody() };
    }
  };
  return { results: await pMap(items, tryOne, { concurrency: batchConcurrency }) };
}

function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.get('Idempotency-Key');
  if (key === undefined || IdempotencyKey.safeParse(key).success) return key;
  throw new ProblemError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
}

function parseTranscript(body: unknown): TranscriptRequest {
  const { segments, missing, withoutSpeech, dropped } = isRecord(body) ? body : {};
  for (const [index, segment] of Array.isArray(segments) ? segments.entries() : []) {
    const words: unknown = isRecord(segment) ? segment['words'] : undefined;
    requireItems(TranscriptWord, words, ['segments', index, 'words']);
  }
  requireItems(TranscriptSegment, segments, ['segments']);
  const { shape } = Transcript;
  requireItems(shape.missing.element, missing, ['missing']);
  requireItems(shape.withoutSpeech.unwrap().element, withoutSpeech, ['withoutSpeech']);
  requireItems(shape.dropped.unwrap().element, dropped, ['dropped']);
  return parseRequest(TranscriptRequest, body);
}

/** The version that the caller has changed. */
function knownVersionOf(request: Request<{ id: string }>): number {
  const version = /^"(\d{1,9})"$/.exec(request.get('If-Match') ?? '')?.[1];
  if (version !== undefined) return Number(version);
  throw new ProblemError(
    'invalid_request',
    'If-Match must be the version that you have changed, in quotation marks; "0" is the transcript that the run wrote.',
  );
}

function pathOf(id: string): string {
  return `/api/runs/${encodeURIComponent(id)}`;
}
