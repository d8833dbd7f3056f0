import { Router } from 'express';
import type { SignIn } from '../sign-in/sign-in.ts';

/** Sign-in and sign-out; browsers come here without a token. */
export function loginRouter(signIn: SignIn): Router {
  const router = Router();
  router.get('/login', async (request, response) => signIn.begin(request, response));
  router.get('/login/callback', async (request, response) => signIn.end(request, response));
  router.post('/logout', async (request, response) => signIn.signOut(request, response));
  return router;
}
