import type { Client } from '@temporalio/client';
import { Router } from 'express';
import type { PastRuns } from '../../client/estimates/past-runs.ts';
import type { Prices } from '../../contract/prices.ts';
import { EstimateRequest } from '../../contract/server/estimate.ts';
import { authorize } from '../access/authenticate.ts';
import { ownerFor } from '../access/caller.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { parseRequest } from './parse.ts';
import { readJson } from './read-json.ts';

/** `POST /api/estimate`: what a run would use, from the past runs of the caller's owner. */
export function estimateRouter(client: Client, pastRuns: PastRuns, prices: Prices): Router {
  const router = Router();
  router.post('/api/estimate', readJson, async (request, response) => {
    const owner = ownerFor(authorize(request, 'read'), undefined);
    const wanted = parseRequest(EstimateRequest, request.body);
    response.json(await withRequestDeadline(client, () => pastRuns.estimate(wanted, owner, prices)));
  });
  return router;
}
