import { Router } from 'express';
import type { PresetsBody } from '../../contract/http/preset.ts';
import type { Presets } from '../../contract/presets.ts';
import { authorize } from '../access/authenticate.ts';

export function presetRoutes(presets: Presets): Router {
  const router = Router();
  const body: PresetsBody = { presets: Object.entries(presets).map(([name, preset]) => ({ name, ...preset })) };
  router.get('/api/presets', (request, response) => {
    authorize(request, 'read');
    response.json(body);
  });
  return router;
}
