import { Router } from 'express';
import { authorize } from '../access/authenticate.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';

/** Prometheus needs a token with the scope `operate`. */
export function metricsRouter(metrics: ServerMetrics): Router {
  const router = Router();
  router.get('/api/metrics', async (request, response) => {
    authorize(request, 'operate');
    const text = await metrics.text();
    response.set('Content-Type', metrics.contentType).send(text);
  });
  return router;
}
