import { type Request, Router } from 'express';
import { ErrorsQuery } from '../../contract/server/errors.ts';
import { type LimitersBody, SetLimitsRequest, ThrottleRequest } from '../../contract/server/limiters.ts';
import type { ScaleView } from '../../contract/server/queue.ts';
import { noteForAudit } from '../access/audit.ts';
import { authorize } from '../access/authenticate.ts';
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

/** Endpoints for operators. The queue counts all owners; only a caller without an owner sees which run each container works on. */
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
    authorize(request, 'operate');
    response.json({ limiters: await limiters.list(asProblem) } satisfies LimitersBody);
  });
  router.post('/api/limiters/:provider/:model/throttle', readJson, async (request: OfLimiter, response) => {
    authorize(request, 'operate');
    const throttle = parseRequest(ThrottleRequest, request.body);
    noteForAudit(response, { change: { seconds: throttle.seconds } });
    response.json(await limiters.change(keyOf(request), { throttle }));
  });
  router.post('/api/limiters/:provider/:model/resume', async (request: OfLimiter, response) => {
    authorize(request, 'operate');
    response.json(await limiters.change(keyOf(request), { resume: true }));
  });
  router.post('/api/limiters/:provider/:model/set', readJson, async (request: OfLimiter, response) => {
    authorize(request, 'operate');
    const limits = parseRequest(SetLimitsRequest, request.body);
    noteForAudit(response, { change: limits });
    response.json(await limiters.change(keyOf(request), { limits }));
  });
  return router;
}

function keyOf({ params }: OfLimiter): string {
  return `${params.provider}/${params.model}`;
}
