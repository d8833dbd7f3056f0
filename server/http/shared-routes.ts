import { type Request, type Response, Router } from 'express';
import type { Logger } from 'pino';
import { errnoOf } from '../../contract/unknown-values.ts';
import { limitTickets } from '../access/rate-limits.ts';
import { Places } from '../access/places.ts';
import type { RunTickets } from '../access/run-tickets.ts';
import { bearerToken } from '../access/tokens.ts';
import { Zip } from '../files/zip.ts';
import { describeProblem } from '../problem-error.ts';
import type { SharedRuns } from '../runs/shared-runs.ts';

/** Downloads of zips at the same time, each with one open file or one connection to a store. */
const mostZips = 64;

interface SharedRoutes {
  runs: SharedRuns;
  shares: RunTickets;
  zips: RunTickets;
  requestsPerMinute: number;
  log: Logger;
}

/** Results by tickets. The ticket is the authorization, so these routes come before the check of tokens. */
export function sharedRouter({ runs, shares, zips, requestsPerMinute, log }: SharedRoutes): Router {
  const router = Router();
  const places = new Places(mostZips);
  const limit = limitTickets(requestsPerMinute);
  router.get('/api/shared', async (request, response) => {
    const ticket = await shares.read(bearerToken(request.headers.authorization) ?? '');
    await limit(ticket, request, response);
    response.json(await runs.read(ticket));
  });
  router.get('/media/zip/:ticket', async (request, response, next) => {
    // MEDIA_ROOT may have a folder `zip`; links to its files carry their signature in the query.
    if (request.query['signature'] !== undefined) return next();
    const ticket = await zips.read(request.params.ticket);
    await limit(ticket, request, response);
    const { owner, name, files, at } = await runs.archive(ticket);
    const release = places.take({ id: `run ${ticket.runId}`, owner }, 'zips are being downloaded');
    try {
      await send(request, response, name, new Zip(files, at));
    } finally {
      release();
    }
  });
  return router;

  async function send(request: Request, response: Response, name: string, zip: Zip): Promise<void> {
    response.attachment(name);
    response.set({
      'Content-Type': 'application/zip',
      'Content-Length': String(zip.bytes),
      'Accept-Ranges': 'none',
      'Cache-Control': 'private, no-store',
    });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    try {
      await zip.send(response);
    } catch (error) {
      // The client sees that the download ends before its length. A client that has left is no failure.
      if (errnoOf(error) === 'ERR_STREAM_PREMATURE_CLOSE') return;
      log.warn({ error: describeProblem(error) }, `The download of ${name} has failed`);
    }
  }
}
