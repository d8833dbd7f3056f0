import { type Request, Router } from 'express';
import { ReplayRequest } from '../../contract/server/webhooks.ts';
import { authorize } from '../access/authenticate.ts';
import type { WebhookMessages } from '../webhooks/webhook-messages.ts';
import { parseRequest } from './parse.ts';
import { readJson } from './read-json.ts';

export function webhooksRouter(messages: WebhookMessages): Router {
  const router = Router();
  router.get('/api/runs/:id/webhooks', async (request, response) => {
    const caller = authorize(request, 'read');
    response.json(await messages.list(request.params.id, caller));
  });
  router.post('/api/runs/:id/webhooks/replay', readJson, async (request: Request<{ id: string }>, response) => {
    const caller = authorize(request, 'run');
    const wanted = parseRequest(ReplayRequest, request.body ?? {});
    response.status(202).json(await messages.replay(request.params.id, wanted, caller));
  });
  return router;
}
