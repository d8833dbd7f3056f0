import { type Request, type Response, Router } from 'express';
import type { PageFile } from '../page/built-page.ts';

/**
 * Scripts, styles and pictures of its own alone, and nothing in the document itself; no frame, no form, no other host but those of files that
 * runs have made. A film that hls.js plays is a blob of the page.
 */
function contentPolicy(fileOrigins: readonly string[]): string {
  const files = ["'self'", ...fileOrigins].join(' ');
  return [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", `img-src ${files}`, `media-src ${files} blob:`],
    ...[`connect-src ${files}`, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    "require-trusted-types-for 'script'",
  ].join('; ');
}

/** The views, each with an address of its own. */
const views = ['/', '/runs/:id', '/operators'];

/** The page. It holds nothing that is not public: what it shows it asks of the API. */
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
    // The name changes with the content.
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
