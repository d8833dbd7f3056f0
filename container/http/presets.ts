import { Router } from 'express';
import type { PresetsBody } from '../../contract/http/preset.ts';
import type { Presets } from '../../contract/presets.ts';

/** `GET /presets`: every preset with all its fields. */
export function presetsRouter(presets: Presets): Router {
  const router = Router();
  const body: PresetsBody = { presets: Object.entries(presets).map(([name, preset]) => ({ name, ...preset })) };
  router.get('/presets', (_request, response) => {
    response.json(body);
  });
  return router;
}
