import { Router } from 'express';
import type { HealthBody, ReadyBody } from '../../contract/http/job.ts';
import type { Slots } from '../jobs/slots.ts';
import type { Readiness } from '../jobs/readiness.ts';
import type { Metrics } from '../jobs/metrics.ts';
import { endpoints } from './endpoints.ts';
import { openApiDocument } from './openapi.ts';

export interface ServiceFacts {
  name: string;
  version: string;
  instanceId: string;
}

/** `GET /`, `/health`, `/ready` and `/metrics`. */
export function serviceRouter(facts: ServiceFacts, slots: Slots, readiness: Readiness, metrics: Metrics): Router {
  const router = Router();
  router.get('/', (_request, response) => {
    response.json({
      name: facts.name,
      version: facts.version,
      instanceId: facts.instanceId,
      endpoints,
      slot: { limit: slots.limit, active: slots.activeIds.size, remaining: slots.remaining },
    });
  });
  router.get('/health', (_request, response) => {
    const body: HealthBody = {
      status: 'healthy',
      activeJobs: slots.activeIds.size,
      jobs: [...slots.activeIds],
      instanceId: facts.instanceId,
    };
    response.json(body);
  });
  router.get('/ready', async (_request, response) => {
    const reason = await readiness();
    if (reason === undefined) response.json({ status: 'ready' } satisfies ReadyBody);
    else response.status(503).json({ status: 'not_ready', reason } satisfies ReadyBody);
  });
  router.get('/metrics', async (_request, response) => {
    response.set('Content-Type', metrics.contentType).send(await metrics.text());
  });
  // The document is made for its first reader: few processes have one, and all would start later.
  let openApi: ReturnType<typeof openApiDocument> | undefined;
  router.get('/openapi.json', (_request, response) => {
    response.json((openApi ??= openApiDocument(facts.version)));
  });
  return router;
}
