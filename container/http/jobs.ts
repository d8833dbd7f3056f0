import { Router, type Request, type Response } from 'express';
import { ServiceError } from '../errors.ts';
import type { Job } from '../jobs/job.ts';
import type { Jobs } from '../jobs/registry.ts';

/** Shorter than the idle limits of common proxies, and of our own workflows' client. */
const keepAliveMs = 10_000;

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

/** The job as Server-Sent Events until it ends (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
function streamEvents(job: Job, response: Response): void {
  response.status(200).set({
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    // nginx would hold the events back.
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  const send = (): void => void response.write(`data: ${JSON.stringify(job.view())}\n\n`);
  const stopListening = job.onChange(() => {
    // A reader that is behind gets the next change instead of a queue of old ones.
    if (!response.writableNeedDrain && job.view().state === 'running') send();
  });
  const keepAlive = setInterval(() => void response.write(': still here\n\n'), keepAliveMs);
  response.on('close', () => {
    stopListening();
    clearInterval(keepAlive);
  });
  send();
  const finish = (): void => {
    if (response.destroyed) return;
    stopListening();
    send();
    response.end();
  };
  if (job.view().state === 'running') void job.ended.then(finish);
  else response.end();
}

export function jobsRouter(jobs: Jobs): Router {
  const router = Router();
  router.get('/jobs', (_request, response) => {
    response.json({ jobs: jobs.all().map((job) => job.view()) });
  });
  router.get('/jobs/:id', (request, response) => {
    response.json(findJob(jobs, request).view());
  });
  router.get('/jobs/:id/events', (request, response) => {
    streamEvents(findJob(jobs, request), response);
  });
  router.delete('/jobs/:id', async (request, response) => {
    const job = findJob(jobs, request);
    job.cancel();
    await job.ended;
    response.json(job.view());
  });
  return router;
}
