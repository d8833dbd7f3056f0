import { Router } from 'express';
import { SlotQuery, type SlotView } from '../../contract/http/slot.ts';
import type { Leases } from '../jobs/leases.ts';
import type { ServiceFacts } from './service.ts';
import { parseBody } from './validation.ts';

/** `GET /slot`: a long poll that answers when the worker holds the slot (docs/reference/container-api.md, "Leases"). */
export function slotRouter(
  leases: Leases,
  { instanceId, version }: Pick<ServiceFacts, 'instanceId' | 'version'>,
): Router {
  const router = Router();
  router.get('/slot', async (request, response) => {
    const query = parseBody(SlotQuery, request.query);
    const gone = new AbortController();
    response.on('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    const standing = await leases.hold(query, gone.signal);
    const view: SlotView = { ...standing, instanceId, version };
    response.set('Cache-Control', 'no-store').json(view);
  });
  return router;
}
