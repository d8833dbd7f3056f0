import { relative } from 'node:path';
import { type Request, type Response, Router } from 'express';
import { contentTypeOfFile, isSafeInline } from '../files/content-type.ts';
import { fittingRange } from '../files/fitting-range.ts';
import type { MediaLinks } from '../files/media-links.ts';
import { savedName } from '../files/upload-name.ts';
import { ProblemError } from '../problem-error.ts';

/** Keeps browsers from running any part of a file that they open. */
const contentPolicy = "sandbox; default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'";

/** Errors of the module `send`, which serves our files. */
function sendingProblem(error: Error, name: string): Error {
  const shown = JSON.stringify(name);
  switch ('status' in error ? error.status : undefined) {
    case 404:
      // The file was removed after the link was checked.
      return new ProblemError('not_found', `The file ${shown} no longer exists.`);
    case 412:
      return new ProblemError('precondition_failed', `${shown} is not the version that the request's conditions name.`);
    case 416:
      return new ProblemError('range_not_satisfiable', `${shown} ends before the requested range.`);
    default:
      return error;
  }
}

/** The path of a link for logs. The token of a folder and the ticket of a zip authorize whoever has them. */
export function withoutLinkToken(path: string): string {
  return path.replace(/(?<=^\/media\/(?:in|zip)\/)[^/]+/i, '*');
}

/** Serves files by signed links. The signature is the authorization. */
export function mediaRouter(links: MediaLinks, root: string): Router {
  const router = Router();
  router.get('/media/in/:token/*file', async (request, response, next) => {
    const { token, path } = /^\/media\/in\/(?<token>[^/]+)\/(?<path>.+)$/.exec(request.path)?.groups ?? {};
    // MEDIA_ROOT may have a folder `in`; links to its files carry their signature in the query.
    if (token === undefined || path === undefined || request.query['signature'] !== undefined) return next();
    // Players on other sites use the files of a package. The link is the authorization, and browsers send no cookies.
    response.set({ 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' });
    return await send(request, response, await links.openInFolder(token, path));
  });
  router.get('/media/*place', async (request, response) => {
    const { expires, signature } = request.query;
    if (typeof expires !== 'string' || typeof signature !== 'string') {
      throw new ProblemError('not_found', 'The link is incomplete. Request the run to get current links to its files.');
    }
    await send(request, response, await links.open(request.path.slice('/media/'.length), { expires, signature }));
  });
  return router;

  async function send(request: Request, response: Response, { path, bytes }: { path: string; bytes: number }) {
    const { range } = request.headers;
    if (range !== undefined) request.headers.range = fittingRange(range, bytes);
    const name = savedName(path);
    const contentType = contentTypeOfFile(name);
    response.attachment(name);
    const disposition = response.get('Content-Disposition') ?? 'attachment';
    response.set({
      'Content-Type': contentType,
      'Content-Security-Policy': contentPolicy,
      'Content-Disposition': isSafeInline(contentType) ? disposition.replace(/^attachment/, 'inline') : disposition,
      // The link authorizes, so shared caches must not keep the file. A later run may overwrite it, so caches must revalidate.
      'Cache-Control': 'private, no-cache',
    });
    await new Promise<void>((resolve, reject) => {
      const options = { root, dotfiles: 'allow', cacheControl: false } as const;
      response.sendFile(relative(root, path), options, (error) => {
        // A player that seeks closes the connection of the previous range.
        if (error === undefined || response.headersSent) return resolve();
        // A browser would save the error under the file's name.
        response.removeHeader('Content-Disposition');
        return reject(sendingProblem(error, name));
      });
    });
  }
}
