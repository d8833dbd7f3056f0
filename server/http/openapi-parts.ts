import { openApiOf } from '../../contract/openapi.ts';
import { PresetsBody } from '../../contract/http/preset.ts';
import { LimiterEntry, LimitersBody, SetLimitsRequest, ThrottleRequest } from '../../contract/server/limiters.ts';
import {
  CompletedS3Upload,
  S3PartsRequest,
  S3PartUrls,
  S3UploadRequest,
  S3UploadView,
} from '../../contract/server/s3-upload.ts';
import { EstimateRequest, EstimateView } from '../../contract/server/estimate.ts';
import { ErrorsView } from '../../contract/server/errors.ts';
import { QueueHistory, QueueView, ScaleView } from '../../contract/server/queue.ts';
import { Problem, type ProblemCode, problems } from '../../contract/server/problem.ts';
import {
  BatchRequest,
  BatchResult,
  NewRunRequest,
  PriorityRequest,
  RerunRequest,
  RunDetails,
  RunsPage,
  RunView,
} from '../../contract/server/run.ts';
import { UsageView } from '../../contract/server/usage.ts';
import { ReplayRequest, WebhooksBody } from '../../contract/server/webhooks.ts';
import { SharedRun, ShareRequest, ShareView } from '../../contract/server/share.ts';
import { RunFile } from '../../contract/server/run-file.ts';
import { TranscriptRequest } from '../../contract/server/transcript.ts';
import { SessionView } from '../../contract/server/session.ts';
import { MetadataResult } from '../../contract/http/metadata.ts';
import { InspectInput } from '../../contract/workflow/inspect.ts';
import { inputSchemas } from '../../contract/workflow/inputs.ts';

/** Schemas of the document, by name. */
export const describedSchemas = {
  EncodeInput: inputSchemas.encode,
  ChunkingInput: inputSchemas.chunking,
  ProcessingInput: inputSchemas.processing,
  NewRunRequest,
  RerunRequest,
  PriorityRequest,
  InspectInput,
  BatchRequest,
  BatchResult,
  RunView,
  RunDetails,
  RunsPage,
  SessionView,
  MetadataResult,
  PresetsBody,
  QueueView,
  QueueHistory,
  ErrorsView,
  ScaleView,
  LimiterEntry,
  LimitersBody,
  ThrottleRequest,
  SetLimitsRequest,
  WebhooksBody,
  S3UploadRequest,
  S3UploadView,
  S3PartsRequest,
  S3PartUrls,
  CompletedS3Upload,
  ReplayRequest,
  UsageView,
  EstimateRequest,
  EstimateView,
  ShareRequest,
  ShareView,
  SharedRun,
  TranscriptRequest,
  RunFile,
  Problem,
};
export type SchemaName = keyof typeof describedSchemas;

const parts = openApiOf(describedSchemas);
export const { jsonSchema, json, answer, document } = parts;

/** Errors of every endpoint of the API. */
const always: ProblemCode[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'host_forbidden',
  'too_many_requests',
  'internal',
  'temporal_unavailable',
];

export function failures(...codes: ProblemCode[]) {
  const byStatus = Map.groupBy([...always, ...codes], (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [
      String(status),
      {
        description: found.join(', '),
        content: { 'application/problem+json': { schema: parts.reference('Problem') } },
      },
    ]),
  );
}

/** A parameter in the path of an endpoint. */
export function pathParameter(name: string) {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}
