import { Router, type Request, type RequestHandler, type Response } from 'express';
import { type AcceptedBody, JobsQuery, type JobsPage } from '../../contract/http/job.ts';
import { ServiceError } from '../errors.ts';
import type { Delivery } from '../jobs/delivery.ts';
import type { Job } from '../jobs/job.ts';
import type { Jobs } from '../jobs/registry.ts';
import { requireJson } from './failures.ts';
import { checkedOf, readLargeBody } from './request-body.ts';
import { parseBody } from './validation.ts';

/** Longest pause between two events: a viewer sees that the job lives and an estimate even while ffmpeg is silent. */
const longestSilenceMs = 2_000;

function findJob(jobs: Jobs, request: Request): Job {
  const id = String(request.params['id']);
  const job = jobs.get(id);
  if (job === undefined) {
    throw new ServiceError(
      'not_found',
      'There is no such job here. It may have run in a process that has ended since.',
    );
  }
  return job;
}

/** The cursor is the last job of the previous page. If that job is forgotten, so is every older one. */
function pageOf(oldestFirst: readonly Job[], { limit, cursor, state, kind }: JobsQuery): JobsPage {
  const newestFirst = oldestFirst.toReversed();
  const from = cursor === undefined ? 0 : newestFirst.findIndex(({ id }) => id === cursor) + 1;
  if (cursor !== undefined && from === 0) return { jobs: [] };
  const asked = newestFirst
    .slice(from)
    .filter((job) => state === undefined || job.state === state)
    // Inspections are not encodes that somebody waits for.
    .filter((job) => (kind === undefined ? job.kind !== 'metadata' : job.kind === kind));
  const page = asked.slice(0, limit);
  const listed = page.map((job) => job.list());
  const last = page.at(-1);
  return asked.length > limit && last !== undefined ? { jobs: listed, nextCursor: last.id } : { jobs: listed };
}

function findDelivery(job: Job): Delivery {
  if (job.delivery !== undefined) return job.delivery;
  const standing = job.state === 'running' ? `in phase ${job.view().phase}` : job.state;
  throw new ServiceError('invalid_request', `The job needs no upload URLs: it is ${standing}.`);
}

/**
 * Streams the job as Server-Sent Events until it ends (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 */
function streamEvents(job: Job, lastEventId: string | undefined, response: Response): void {
  if (lastEventId === job.id && job.state !== 'running') {
    // A browser takes the end of a stream for a lost connection and would reconnect forever.
    response.status(204).end();
    return;
  }
  response.status(200).set({
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    // Without this header nginx buffers the events.
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  if (response.req.method === 'HEAD') {
    // The connection could serve no other request until the job ends.
    response.end();
    return;
  }
  // The browser sends this id when it reconnects. It names the job, because each event holds the job's whole state.
  response.write(`id: ${job.id}\n\n`);
  const send = (): void => {
    response.write(`data: ${JSON.stringify(job.view())}\n\n`);
    silence.refresh();
  };
  const sendRunning = (): void => {
    // A slow reader gets the next state instead of a queue of old ones.
    if (!response.writableNeedDrain && job.state === 'running') send();
  };
  const silence = setInterval(sendRunning, longestSilenceMs);
  const stopListening = job.onChange(sendRunning);
  response.on('close', () => {
    stopListening();
    clearInterval(silence);
  });
  send();
  const end = (): void => {
    stopListening();
    // A stalled reader keeps the connection open after the end, and nothing may be written after the end.
    clearInterval(silence);
    response.end();
  };
  const finish = (): void => {
    if (response.destroyed) return;
    send();
    end();
  };
  if (job.state === 'running') void job.ended.then(finish);
  else end();
}

export function jobsRouter(jobs: Jobs): Router {
  const router = Router();
  const noteReport = (job: Job, response: Response): void => {
    response.once('finish', () => {
      if (job.state !== 'running') jobs.reported(job.id);
    });
  };
  router.get('/jobs', (request, response) => {
    response.json(pageOf(jobs.all(), parseBody(JobsQuery, request.query)));
  });
  router.get('/jobs/:id', (request, response) => {
    const job = findJob(jobs, request);
    if (job.state !== 'running') noteReport(job, response);
    response.json(job.view());
  });
  router.get('/jobs/:id/events', (request, response) => {
    const job = findJob(jobs, request);
    // The answer finishes after it has reported the end.
    noteReport(job, response);
    streamEvents(job, request.get('Last-Event-ID'), response);
  });
  const requireDelivery: RequestHandler = (request, _response, next) => {
    findDelivery(findJob(jobs, request));
    next();
  };
  const readUrls = readLargeBody('uploadUrls', (_request, response) => {
    response.set('Retry-After', '1');
    throw new ServiceError('busy', 'Too many requests with upload URLs are being read. Please retry.');
  });
  // A useless request is refused before its body is read.
  router.post('/jobs/:id/upload-urls', requireJson, requireDelivery, readUrls, async (request, response) => {
    const job = findJob(jobs, request);
    const { urls } = checkedOf<'uploadUrls'>(request).body;
    await findDelivery(job).accept(urls);
    const body: AcceptedBody = { success: true, jobId: job.id, state: 'running' };
    response.status(202).json(body);
  });
  router.delete('/jobs/:id', async (request, response) => {
    const job = findJob(jobs, request);
    job.cancel();
    await job.ended;
    noteReport(job, response);
    response.json(job.view());
  });
  return router;
}
