import { ChunkRequest, ChunkResult } from '../../contract/http/chunk.ts';
import { EncodeRequest, EncodeResult } from '../../contract/http/encode.ts';
import { BusyBody, ErrorBody } from '../../contract/http/error.ts';
import { AcceptedBody, HealthBody, JobsPage, JobsQuery, JobView } from '../../contract/http/job.ts';
import { MetadataRequest, MetadataResult } from '../../contract/http/metadata.ts';
import { SourceRequest, SourceResult } from '../../contract/http/source.ts';
import { leaseHeader, SlotQuery, SlotView } from '../../contract/http/slot.ts';
import { UploadUrlsRequest } from '../../contract/http/upload-urls.ts';
import { PresetsBody } from '../../contract/http/preset.ts';
import { statusByErrorCode, type ErrorCode } from '../../contract/error-codes.ts';
import { openApiOf, queryParameters } from '../../contract/openapi.ts';

const schemas = {
  EncodeRequest,
  EncodeResult,
  ChunkRequest,
  ChunkResult,
  MetadataRequest,
  SourceRequest,
  SourceResult,
  UploadUrlsRequest,
  MetadataResult,
  AcceptedBody,
  JobsPage,
  JobView,
  HealthBody,
  SlotView,
  PresetsBody,
  BusyBody,
  ErrorBody,
};
type SchemaName = keyof typeof schemas;

const { json: body, answer, document } = openApiOf(schemas);

/** Error answers by status, with their codes from the table of error codes. */
function failures(of: (code: ErrorCode) => boolean) {
  const codesByStatus = new Map<number, ErrorCode[]>();
  for (const [code, status] of Object.entries(statusByErrorCode) as [ErrorCode, number][]) {
    // Status 429 has a schema of its own.
    if (code !== 'busy' && of(code)) codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...codesByStatus].map(([status, codes]) => [String(status), answer(codes.join(', '), 'ErrorBody')]),
  );
}

const jobId = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

const preferAsync = {
  name: 'Prefer',
  in: 'header',
  schema: { type: 'string' },
  description: 'respond-async (RFC 7240)',
};
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function jobOperation(summary: string, request: SchemaName, result: SchemaName) {
  return {
    summary,
    parameters: [
      preferAsync,
      idempotencyKey,
      { name: leaseHeader, in: 'header', schema: { type: 'string' }, description: 'of GET /slot' },
    ],
    requestBody: { required: true, content: body(request) },
    responses: {
      '200': answer('The job succeeded.', result),
      '202': answer('The job runs; Location names it.', 'AcceptedBody'),
      '429': answer('The slot is taken; Retry-After says when to come back.', 'BusyBody'),
      ...failures((code) => code !== 'not_found'),
    },
  };
}

const uploadUrlsFailures: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['invalid_request', 'unauthorized', 'upload_forbidden'] as const),
  ...(['not_found', 'request_too_large', 'unsupported_media_type'] as const),
]);

const lookFailures = failures((code) => code === 'not_found' || code === 'unauthorized');

/** OpenAPI 3.1 document of this service, made from the schemas that check its requests. */
export function openApiDocument(version: string) {
  return document('Holdfast', version, {
    '/health': { get: { summary: 'Check liveness', responses: { '200': answer('The process works.', 'HealthBody') } } },
    '/ready': {
      get: {
        summary: 'Check readiness',
        responses: {
          '200': { description: 'Jobs can run.' },
          '503': { description: 'Jobs cannot run; `reason` says why.' },
        },
      },
    },
    '/metrics': {
      get: {
        summary: 'Get metrics for Prometheus',
        responses: { '200': { description: 'Metrics in Prometheus’ text format.', content: { 'text/plain': {} } } },
      },
    },
    '/metadata': {
      post: {
        summary: 'Inspect a source',
        parameters: [preferAsync, idempotencyKey],
        requestBody: { required: true, content: body('MetadataRequest') },
        responses: {
          '200': answer('Facts about the source.', 'MetadataResult'),
          '202': answer('A job inspects the source; Location names it.', 'AcceptedBody'),
          ...failures((code) => code !== 'not_found' && !code.startsWith('upload')),
        },
      },
    },
    '/source': {
      post: {
        summary: 'Get size and version of a source without reading it',
        requestBody: { required: true, content: body('SourceRequest') },
        responses: {
          '200': answer('Facts that identify the version of the source.', 'SourceResult'),
          ...failures((code) => code !== 'not_found' && !code.startsWith('upload')),
        },
      },
    },
    '/encode': { post: jobOperation('Encode a source into 1 to 8 outputs', 'EncodeRequest', 'EncodeResult') },
    '/chunk': { post: jobOperation('Cut a source into overlapping chunks', 'ChunkRequest', 'ChunkResult') },
    '/presets': {
      get: {
        summary: 'List the presets with their settings',
        responses: { '200': answer('The presets.', 'PresetsBody'), ...failures((code) => code === 'unauthorized') },
      },
    },
    '/jobs': {
      get: {
        summary: 'List active and recent jobs, newest first',
        parameters: queryParameters(JobsQuery),
        responses: {
          '200': answer('A page of jobs.', 'JobsPage'),
          ...failures((code) => code === 'invalid_request' || code === 'unauthorized'),
        },
      },
    },
    '/jobs/{id}': {
      parameters: [jobId],
      get: { summary: 'Get a job', responses: { '200': answer('The job.', 'JobView'), ...lookFailures } },
      delete: { summary: 'Cancel a job', responses: { '200': answer('The ended job.', 'JobView'), ...lookFailures } },
    },
    '/jobs/{id}/upload-urls': {
      parameters: [jobId],
      post: {
        summary: 'Send URLs for the files of a job in phase deliver',
        requestBody: { required: true, content: body('UploadUrlsRequest') },
        responses: {
          '202': answer('The URLs are accepted.', 'AcceptedBody'),
          ...failures((code) => uploadUrlsFailures.has(code)),
        },
      },
    },
    '/jobs/{id}/events': {
      parameters: [jobId],
      get: {
        summary: 'Stream a job as Server-Sent Events until it ends; each `data` is a JobView',
        responses: { '200': { description: 'The events.', content: { 'text/event-stream': {} } }, ...lookFailures },
      },
    },
    '/slot': {
      get: {
        summary: 'Ask for a lease of the slot; a long poll that answers when the turn comes',
        parameters: queryParameters(SlotQuery),
        responses: {
          '200': answer('The state of the lease.', 'SlotView'),
          ...failures((code) => code === 'invalid_request' || code === 'unauthorized'),
        },
      },
    },
  });
}
