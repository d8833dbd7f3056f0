import { type RequestHandler, Router } from 'express';
import { authorize } from '../access/authenticate.ts';
import { uploadsUnavailable } from '../files/file-names.ts';
import { tusVersion, type Uploads } from '../files/uploads.ts';

/** Answers the OPTIONS request by which a tus client learns the server's features. */
export function announceUploads(uploads: Uploads): RequestHandler {
  return (_request, response, next) => {
    response.set({
      'Tus-Resumable': tusVersion,
      'Tus-Version': tusVersion,
      'Tus-Max-Size': String(uploads.maxBytes),
      'Tus-Extension': 'creation,creation-with-upload,creation-defer-length,termination',
    });
    next();
  };
}

/** tus 1.0: https://tus.io/protocols/resumable-upload. */
export function uploadsRouter(uploads: Uploads | undefined): Router {
  const router = Router();
  router.all(['/api/uploads', '/api/uploads/:id'], async (request, response) => {
    const caller = authorize(request, 'run');
    if (uploads === undefined) throw uploadsUnavailable();
    return await uploads.handle(request, response, caller);
  });
  return router;
}
