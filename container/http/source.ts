import type { RequestHandler } from 'express';
import type { SourceIdentity, SourceRequest, SourceResult } from '../../contract/http/source.ts';
import { ServiceError } from '../errors.ts';
import type { Lookups } from '../jobs/lookups.ts';
import type { Jobs } from '../jobs/registry.ts';
import { refuseDraining } from './refusal.ts';
import { checkedOf } from './request-body.ts';

export interface SourceDeps {
  jobs: Pick<Jobs, 'isDraining'>;
  lookups: Lookups;
  retryAfterSeconds: number;
  metadataTimeoutSeconds: number;
}

/** `POST /source` (docs/reference/container-api.md, "Source"). */
export function sourceRoute(
  identify: (request: SourceRequest, signal: AbortSignal) => Promise<SourceIdentity>,
  { jobs, lookups, retryAfterSeconds, metadataTimeoutSeconds: limit }: SourceDeps,
): RequestHandler {
  return async (request, response) => {
    const { body } = checkedOf<'source'>(request);
    if (jobs.isDraining) refuseDraining(response, retryAfterSeconds);
    const gone = new AbortController();
    response.on('close', () => gone.abort(new ServiceError('cancelled', 'The client closed the connection.')));
    const deadline = setTimeout(() => {
      gone.abort(new ServiceError('timeout', `Identifying the source took longer than the limit of ${limit} seconds.`));
    }, limit * 1000);
    try {
      const identity = await lookups.run(({ signal }) => identify(body, signal), gone.signal);
      response.json({ success: true, ...identity } satisfies SourceResult);
    } finally {
      clearTimeout(deadline);
    }
  };
}
