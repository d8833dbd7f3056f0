import { Router } from 'express';
import type { SessionView } from '../../contract/server/session.ts';
import { callerOf } from '../access/authenticate.ts';

/** What the page asks first. Any token may. */
export function sessionRouter(server: Pick<SessionView, 'version' | 'hasTokens' | 'uploads'>): Router {
  const router = Router();
  router.get('/api/session', (request, response) => {
    const { scopes, owner } = callerOf(request);
    response.json({ ...server, scopes: [...scopes], ...(owner !== undefined && { owner }) } satisfies SessionView);
  });
  return router;
}
