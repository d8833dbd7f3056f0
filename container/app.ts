import express, { type Express } from 'express';
import { instanceHeader } from '../contract/http/slot.ts';
import type { Presets } from '../contract/presets.ts';
import type { Slots } from './jobs/slots.ts';
import { runChunkJob } from './operations/chunk.ts';
import { checkEncoder } from './operations/encode-part.ts';
import { runEncodeJob } from './operations/encode.ts';
import type { EncodeLimits, PictureLimits } from '../engine/ffmpeg/limits.ts';
import type { SegmentedCounters } from '../engine/sound/segmented/counters.ts';
import type { Leases } from './jobs/leases.ts';
import type { Lookups } from './jobs/lookups.ts';
import type { Readiness } from './jobs/readiness.ts';
import type { Jobs } from './jobs/registry.ts';
import type { Logger } from 'pino';
import type { Scratch } from './jobs/scratch.ts';
import type { MediaTransfer } from './transfer/transfer.ts';
import type { Metrics } from './jobs/metrics.ts';
import { logRequests } from '../process/request-log.ts';
import { traceRequests } from '../tracing/trace-requests.ts';
import { checkPlaces, placesOfChunk, placesOfEncode } from './operations/request-places.ts';
import { settleOutputs } from './operations/settle-outputs.ts';
import { readMetadata, runMetadataJob } from './operations/metadata.ts';
import { requireToken } from './http/authorization.ts';
import { answerFailure, answerNotFound, requireJson } from './http/failures.ts';
import { requireOwnHost } from './http/host.ts';
import { jobsRouter } from './http/jobs.ts';
import { metadataRoute } from './http/metadata.ts';
import { presetsRouter } from './http/presets.ts';
import { refuse, refuseUnread } from './http/refusal.ts';
import { readLargeBody, readSmallBody } from './http/request-body.ts';
import { serviceRouter, type ServiceFacts } from './http/service.ts';
import { slotRouter } from './http/slot.ts';
import { sourceRoute } from './http/source.ts';
import { submitRoute } from './http/submit.ts';

export interface AppDeps {
  facts: ServiceFacts;
  slots: Slots;
  jobs: Jobs;
  leases: Leases;
  lookups: Lookups;
  metadataTimeoutSeconds: number;
  transfer: MediaTransfer;
  scratch: Scratch;
  limits: EncodeLimits & PictureLimits;
  segmentedCounters: SegmentedCounters;
  presets: Presets;
  readiness: Readiness;
  metrics: Metrics;
  retryAfterSeconds: number;
  /** Address that the service listens on. */
  host: string;
  token: string | undefined;
  log: Logger;
}

export function buildApp(deps: AppDeps): Express {
  const { transfer, limits, presets, log } = deps;
  const app = express();
  app.disable('x-powered-by');
  // Probes every few seconds would drown the lines about jobs.
  app.use(logRequests(log, { ignore: (url) => /^\/(?:health|ready|metrics|slot)(?:\?|$)/.test(url) }));
  app.use((_request, response, next) => {
    response.set(instanceHeader, deps.facts.instanceId);
    next();
  });
  app.use(requireOwnHost(deps.host, deps.token));
  app.use(serviceRouter(deps.facts, deps.slots, deps.readiness, deps.metrics));
  app.use(requireToken(deps.token));
  app.post(['/encode', '/chunk', '/metadata', '/source'], traceRequests, requireJson);

  app.post(
    '/encode',
    refuseUnread('encode', deps),
    readSmallBody('encode'),
    submitRoute(
      {
        kind: 'encode',
        async check(request) {
          settleOutputs(request, presets, limits);
          await checkPlaces(placesOfEncode(request, presets), transfer);
          await checkEncoder(request.part);
        },
        work: (request) => (job) =>
          runEncodeJob(request, { transfer, limits, counters: deps.segmentedCounters, presets }, job),
      },
      deps,
    ),
  );
  app.post(
    '/chunk',
    refuseUnread('chunk', deps),
    readLargeBody('chunk', (_request, response) => refuse('busy', response, 'chunk', deps)),
    submitRoute(
      {
        kind: 'chunk',
        check: (request) => checkPlaces(placesOfChunk(request), transfer),
        work: (request) => (job) => runChunkJob(request, transfer, limits, job),
      },
      deps,
    ),
  );
  app.post(
    '/metadata',
    readSmallBody('metadata'),
    metadataRoute(
      {
        read: (request, gone) => readMetadata(request, deps, gone),
        work: (request) => (job) => runMetadataJob(request, deps, job),
      },
      deps,
    ),
  );
  app.post(
    '/source',
    readSmallBody('source'),
    sourceRoute((request, signal) => transfer.identify(request, signal), deps),
  );
  app.use(presetsRouter(presets));
  app.use(jobsRouter(deps.jobs));
  app.use(slotRouter(deps.leases, deps.facts));
  app.use(answerNotFound);
  app.use(answerFailure(log));
  return app;
}
