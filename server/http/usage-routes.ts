import type { Client } from '@temporalio/client';
import { Router } from 'express';
import { readUsageTotals } from '../../client/run-usage.ts';
import { usageCsv } from '../../client/usage-csv.ts';
import type { Prices } from '../../contract/prices.ts';
import { usagePeriod, UsageQuery, type UsageView } from '../../contract/server/usage.ts';
import { authorize } from '../access/authenticate.ts';
import { type Caller, ownerFor } from '../access/caller.ts';
import { ProblemError } from '../problem-error.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { parseRequest } from './parse.ts';

interface UsageSources {
  client: Client;
  taskQueue: string;
  prices: Prices;
}

/** `GET /api/usage`: what the runs of the caller's owner have used, by day. */
export function usageRouter({ client, taskQueue, prices }: UsageSources): Router {
  const read = async ({ owner, ...query }: UsageQuery, caller: Caller): Promise<UsageView> => {
    const period = usagePeriod(query, new Date());
    if (typeof period === 'string') throw new ProblemError('invalid_request', period);
    const wanted = { taskQueue, owner: ownerFor(caller, owner), period };
    return await withRequestDeadline(client, () => readUsageTotals(client, wanted, prices));
  };
  const router = Router();
  router.get('/api/usage', async (request, response) => {
    const caller = authorize(request, 'read');
    const query = parseRequest(UsageQuery, request.query);
    const usage = await read(query, caller);
    if (query.format === 'json') response.json(usage);
    else response.attachment(`usage-${usage.from}-${usage.to}.csv`).type('text/csv').send(usageCsv(usage));
  });
  return router;
}
