import type { RequestHandler } from 'express';
import type { MetadataRequest, MetadataResult } from '../../contract/http/metadata.ts';
import type { JobWork } from '../jobs/job.ts';
import { type AdmissionDeps, refuseDraining } from './refusal.ts';
import { prefers, submitRoute } from './submit.ts';
import { checkedOf } from './request-body.ts';
import { untilGone } from './until-gone.ts';

interface MetadataWork {
  /** Serves a client that waits; aborting `gone` ends the work. */
  read(request: MetadataRequest, gone: AbortSignal): Promise<MetadataResult>;
  /** Serves a client that follows a job. */
  work(request: MetadataRequest): JobWork;
}

/** `POST /metadata` (docs/reference/container-api.md, "Metadata"). */
export function metadataRoute(
  { read, work }: MetadataWork,
  deps: AdmissionDeps & { metadataTimeoutSeconds: number },
): RequestHandler {
  const submit = submitRoute({ kind: 'metadata', work, needsSlot: false }, deps);
  return async (request, response, next) => {
    if (prefers(request, 'respond-async')) {
      await submit(request, response, next);
      return;
    }
    const { body } = checkedOf<'metadata'>(request);
    const { jobs, retryAfterSeconds, metadataTimeoutSeconds } = deps;
    if (jobs.isDraining) refuseDraining(response, retryAfterSeconds);
    response.json(await read(body, untilGone(response, metadataTimeoutSeconds, 'Inspecting the source')));
  };
}
