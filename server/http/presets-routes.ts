import { Router } from 'express';
import { listPresets } from '../../contract/listed-presets.ts';
import type { Presets } from '../../contract/presets.ts';
import { authorize } from '../access/authenticate.ts';

export function presetRoutes(presets: Presets): Router {
  const router = Router();
  const body = listPresets(presets);
  router.get('/api/presets', (request, response) => {
    authorize(request, 'read');
    response.json(body);
  });
  return router;
}
