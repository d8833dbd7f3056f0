import { Router } from 'express';
import type { SessionView } from '../../contract/server/session.ts';
import { callerOf } from '../access/authenticate.ts';

/** The page's first request. It needs no scope. */
export function sessionRouter(server: Pick<SessionView, 'version' | 'hasTokens' | 'uploads' | 's3Uploads'>): Router {
  const router = Router();
  router.get('/api/session', (request, response) => {
    const { scopes, owner } = callerOf(request);
    const signedIn = request.headers.authorization === undefined && server.hasTokens;
    response.json({
      ...server,
      ...(signedIn && { signedIn }),
      scopes: [...scopes],
      ...(owner !== undefined && { owner }),
    } satisfies SessionView);
  });
  return router;
}
