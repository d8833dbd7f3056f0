import type { RequestHandler } from 'express';
import type { SourceIdentity, SourceRequest, SourceResult } from '../../contract/http/source.ts';
import type { Lookups } from '../jobs/lookups.ts';
import type { Jobs } from '../jobs/registry.ts';
import { refuseDraining } from './refusal.ts';
import { checkedOf } from './request-body.ts';
import { untilGone } from './until-gone.ts';

export interface SourceDeps {
  jobs: Pick<Jobs, 'isDraining'>;
  lookups: Lookups;
  retryAfterSeconds: number;
  metadataTimeoutSeconds: number;
}

/** `POST /source` (docs/reference/container-api.md, "Source"). */
export function sourceRoute(
  identify: (request: SourceRequest, signal: AbortSignal) => Promise<SourceIdentity>,
  { jobs, lookups, retryAfterSeconds, metadataTimeoutSeconds }: SourceDeps,
): RequestHandler {
  return async (request, response) => {
    const { body } = checkedOf<'source'>(request);
    if (jobs.isDraining) refuseDraining(response, retryAfterSeconds);
    const gone = untilGone(response, metadataTimeoutSeconds, 'Identifying the source');
    const identity = await lookups.run(({ signal }) => identify(body, signal), gone);
    response.json({ success: true, ...identity } satisfies SourceResult);
  };
}
