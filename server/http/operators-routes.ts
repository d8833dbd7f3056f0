import { type Request, Router } from 'express';
import { ErrorsQuery } from '../../contract/server/errors.ts';
import {
  type LimiterEntry,
  type LimitersBody,
  SetLimitsRequest,
  ThrottleRequest,
} from '../../contract/server/limiters.ts';
import type { ScaleView } from '../../contract/server/queue.ts';
import { noteForAudit } from '../access/audit.ts';
import { authorize } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import type { Limiters } from '../limiters/limiters.ts';
import type { QueueSamples } from '../queue/queue-samples.ts';
import type { Queue } from '../queue/read-queue.ts';
import type { FailureCounts } from '../runs/failure-counts.ts';
import { asProblem } from './failures.ts';
import { parseRequest } from './parse.ts';
import { readJson } from './read-json.ts';

type OfLimiter = Request<{ provider: string; model: string }>;

interface OperatorsSources {
  queue: Queue;
  samples: QueueSamples;
  failures: FailureCounts;
  limiters: Limiters;
}

/**
 * Endpoints for operators. Queue and limiters count all owners. Only a caller without an owner sees which run each
 * container works on, and which runs a limiter serves.
 */
export function operatorsRouter({ queue, samples, failures, limiters }: OperatorsSources): Router {
  const router = Router();
  router.get('/api/queue', async (request, response) => {
    const { owner } = authorize(request, 'read');
    response.json(await queue.read(owner === undefined));
  });
  router.get('/api/queue/history', async (request, response) => {
    authorize(request, 'read');
    response.json(await samples.history());
  });
  router.get('/api/errors', async (request, response) => {
    const { owner } = authorize(request, 'read');
    const { hours } = parseRequest(ErrorsQuery, request.query);
    response.json(await failures.since(new Date(Date.now() - hours * 3_600_000), owner));
  });
  router.get('/api/scale', async (request, response) => {
    authorize(request, 'read');
    response.json({ wanted: await queue.wanted() } satisfies ScaleView);
  });
  router.get('/api/limiters', async (request, response) => {
    const caller = authorize(request, 'operate');
    const entries = await limiters.list(asProblem);
    response.json({ limiters: entries.map((entry) => shownTo(caller, entry)) } satisfies LimitersBody);
  });
  router.post('/api/limiters/:provider/:model/throttle', readJson, async (request: OfLimiter, response) => {
    const caller = authorize(request, 'operate');
    const throttle = parseRequest(ThrottleRequest, request.body);
    noteForAudit(response, { change: { seconds: throttle.seconds } });
    response.json(shownTo(caller, await limiters.change(keyOf(request), { throttle })));
  });
  router.post('/api/limiters/:provider/:model/resume', async (request: OfLimiter, response) => {
    const caller = authorize(request, 'operate');
    response.json(shownTo(caller, await limiters.change(keyOf(request), { resume: true })));
  });
  router.post('/api/limiters/:provider/:model/set', readJson, async (request: OfLimiter, response) => {
    const caller = authorize(request, 'operate');
    const limits = parseRequest(SetLimitsRequest, request.body);
    noteForAudit(response, { change: limits });
    response.json(shownTo(caller, await limiters.change(keyOf(request), { limits })));
  });
  return router;
}

/** Empties the lists of runs, which may be those of other owners. Their numbers are in `stats`. */
function shownTo({ owner }: Caller, entry: LimiterEntry): LimiterEntry {
  const { details } = entry;
  if (owner === undefined || details === undefined) return entry;
  return { ...entry, details: { ...details, permits: [], waiting: [] } };
}

function keyOf({ params }: OfLimiter): string {
  return `${params.provider}/${params.model}`;
}
