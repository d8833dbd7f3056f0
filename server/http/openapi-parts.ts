import { z } from 'zod';
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
  Problem,
};
export type SchemaName = keyof typeof describedSchemas;

/** Requests may omit fields that have a default; answers have every field. */
export function jsonSchema(name: SchemaName) {
  const io = name.endsWith('Request') || name.endsWith('Input') ? 'input' : 'output';
  const { $schema: _, ...schema } = z.toJSONSchema(describedSchemas[name], { target: 'draft-2020-12', io });
  return schema;
}

function reference(name: SchemaName) {
  return { $ref: `#/components/schemas/${name}` };
}

export function json(name: SchemaName) {
  return { 'application/json': { schema: reference(name) } };
}

export function answer(description: string, name: SchemaName) {
  return { description, content: json(name) };
}

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
      { description: found.join(', '), content: { 'application/problem+json': { schema: reference('Problem') } } },
    ]),
  );
}

export function queryParameters(query: z.ZodObject) {
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    schema: z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }),
  }));
}
