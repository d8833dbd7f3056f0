import { type Request, Router } from 'express';
import { type LimitersBody, SetLimitsRequest, ThrottleRequest } from '../../contract/server/limiters.ts';
import type { ScaleView } from '../../contract/server/queue.ts';
import { authorize } from '../access/authenticate.ts';
import type { Limiters } from '../limiters/limiters.ts';
import type { Queue } from '../queue/read-queue.ts';
import { asProblem } from './failures.ts';
import { parseRequest } from './parse.ts';
import { readJson } from './read-json.ts';

type OfLimiter = Request<{ provider: string; model: string }>;

/** For those who look after containers and providers. What they tell is of all owners together. */
export function operatorsRouter(queue: Queue, limiters: Limiters): Router {
  const router = Router();
  router.get('/api/queue', async (request, response) => {
    authorize(request, 'read');
    response.json(await queue.read());
  });
  router.get('/api/scale', async (request, response) => {
    authorize(request, 'read');
    const { backlog, busy } = await queue.read();
    response.json({ wanted: backlog + busy } satisfies ScaleView);
  });
  router.get('/api/limiters', async (request, response) => {
    authorize(request, 'operate');
    response.json({ limiters: await limiters.list(asProblem) } satisfies LimitersBody);
  });
  router.post('/api/limiters/:provider/:model/throttle', readJson, async (request: OfLimiter, response) => {
    authorize(request, 'operate');
    response.json(await limiters.change(keyOf(request), { throttle: parseRequest(ThrottleRequest, request.body) }));
  });
  router.post('/api/limiters/:provider/:model/resume', async (request: OfLimiter, response) => {
    authorize(request, 'operate');
    response.json(await limiters.change(keyOf(request), { resume: true }));
  });
  router.post('/api/limiters/:provider/:model/set', readJson, async (request: OfLimiter, response) => {
    authorize(request, 'operate');
    response.json(await limiters.change(keyOf(request), { limits: parseRequest(SetLimitsRequest, request.body) }));
  });
  return router;
}

function keyOf({ params }: OfLimiter): string {
  return `${params.provider}/${params.model}`;
}
