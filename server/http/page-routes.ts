import { type Request, type Response, Router } from 'express';
import type { PageFile } from '../page/built-page.ts';

/**
 * Allows scripts, styles and images of the page itself, no inline code, no frames and no forms. Files of runs may also come from
 * `fileOrigins`. hls.js plays a film as a blob.
 */
function contentPolicy(fileOrigins: readonly string[]): string {
  const files = ["'self'", ...fileOrigins].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${files}`,
    `media-src ${files} blob:`,
    `connect-src ${files}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

/** Paths at which the server serves the page. */
export const views = ['/', '/runs/:id', '/operators', '/shared'];

/** Serves the page without authentication: it is public, and its data comes from the API. */
export function pageRouter(files: ReadonlyMap<string, PageFile>, fileOrigins: () => Promise<string[]>): Router {
  const router = Router();
  router.get(views, async (request, response) => {
    const document = files.get('/index.html');
    if (document === undefined) {
      response.status(503).type('text').send('The page is not built: `npm run build:page` builds it.\n');
      return;
    }
    response.set({ 'Content-Security-Policy': contentPolicy(await fileOrigins()), 'Cache-Control': 'no-cache' });
    send(request, response, document);
  });
  router.get('/assets/*name', (request, response, next) => {
    const file = files.get(request.path);
    if (file === undefined) return next();
    // File names contain a hash of the content.
    response.set('Cache-Control', 'public, max-age=31536000, immutable');
    return send(request, response, file);
  });
  return router;
}

function send(request: Request, response: Response, { type, body, gzip }: PageFile): void {
  const takesGzip = request.acceptsEncodings('gzip') !== false;
  response.set({ 'Content-Type': type, Vary: 'Accept-Encoding', ...(takesGzip && { 'Content-Encoding': 'gzip' }) });
  response.send(takesGzip ? gzip : body);
}
