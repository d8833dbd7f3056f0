import type { RequestHandler } from 'express';
import { MetadataRequest, type MetadataResult } from '../../contract/http/metadata.ts';
import { ServiceError } from '../errors.ts';
import type { Lookup, Lookups } from '../jobs/lookups.ts';
import type { Jobs } from '../jobs/registry.ts';
import { refuseDraining } from './refusal.ts';
import { parseBody } from './validation.ts';

export interface MetadataDeps {
  jobs: Pick<Jobs, 'isDraining'>;
  lookups: Lookups;
  retryAfterSeconds: number;
}

/** `POST /metadata` (docs/contract.md, "Metadata"). */
export function metadataRoute(
  read: (request: MetadataRequest, lookup: Lookup) => Promise<MetadataResult>,
  { jobs, lookups, retryAfterSeconds }: MetadataDeps,
): RequestHandler {
  return async (request, response) => {
    const body = parseBody(MetadataRequest, request.body);
    if (jobs.isDraining) refuseDraining(response, retryAfterSeconds);
    const gone = new AbortController();
    response.on('close', () => gone.abort(new ServiceError('cancelled', 'The client closed the connection.')));
    response.json(await lookups.run((lookup) => read(body, lookup), gone.signal));
  };
}
