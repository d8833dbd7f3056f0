import { Router } from 'express';
import { listPresets } from '../../contract/listed-presets.ts';
import type { Presets } from '../../contract/presets.ts';

/** `GET /presets`: every preset. */
export function presetsRouter(presets: Presets): Router {
  const router = Router();
  const body = listPresets(presets);
  router.get('/presets', (_request, response) => {
    response.json(body);
  });
  return router;
}
