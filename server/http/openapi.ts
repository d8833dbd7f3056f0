import { ErrorsQuery } from '../../contract/server/errors.ts';
import { RunsQuery } from '../../contract/server/run.ts';
import {
  answer,
  describedSchemas,
  failures,
  json,
  jsonSchema,
  queryParameters,
  type SchemaName,
} from './openapi-parts.ts';
import { filePaths } from './openapi-files.ts';

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'percent-encoded' };
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description: 'A second request with the same key returns the run that the first request started.',
};

const bodyFailures = ['request_too_large', 'unsupported_media_type'] as const;

const eventStream = { description: 'The events.', content: { 'text/event-stream': {} } };

const ofLimiter = ['provider', 'model'].map((name) => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
}));

function limiterChange(summary: string, request?: SchemaName) {
  return {
    parameters: ofLimiter,
    post: {
      summary,
      ...(request !== undefined && { requestBody: { required: true, content: json(request) } }),
      responses: {
        '200': answer('The limiter after the change.', 'LimiterEntry'),
        ...failures('not_found', ...(request === undefined ? [] : bodyFailures)),
      },
    },
  };
}

const paths = {
  ...filePaths,
  '/api/openapi.json': {
    get: { summary: 'This document', security: [{}], responses: { '200': { description: 'OpenAPI 3.1.' } } },
  },
  '/api/session': {
    get: {
      summary: 'Get the caller’s scopes and the server’s features',
      responses: { '200': answer('The session.', 'SessionView'), ...failures() },
    },
  },
  '/api/presets': {
    get: {
      summary: 'List presets',
      responses: { '200': answer('All presets with their settings.', 'PresetsBody'), ...failures() },
    },
  },
  '/api/inspect': {
    post: {
      summary: 'Inspect a source without starting a run',
      requestBody: { required: true, content: json('InspectInput') },
      responses: {
        '200': answer('Metadata of the source.', 'MetadataResult'),
        ...failures(...bodyFailures, 'source_unusable', 'containers_unavailable', 'inspect_timeout', 'encrypted'),
      },
    },
  },
  '/api/runs': {
    get: {
      summary: 'List runs: active runs first, then ended runs, newest first',
      parameters: queryParameters(RunsQuery),
      responses: { '200': answer('A page of runs.', 'RunsPage'), ...failures('no_search_attributes', 'encrypted') },
    },
    post: {
      summary: 'Start a run',
      parameters: [idempotencyKey],
      requestBody: { required: true, content: json('NewRunRequest') },
      responses: {
        '201': answer('The new run; Location is its URL.', 'RunView'),
        '200': answer('The run that an earlier request with the same Idempotency-Key started.', 'RunView'),
        ...failures(...bodyFailures, 'idempotency_key_reused'),
      },
    },
  },
  '/api/runs:batch': {
    post: {
      summary: 'Start, cancel or rerun several runs',
      requestBody: { required: true, content: json('BatchRequest') },
      responses: { '200': answer('One result for each run.', 'BatchResult'), ...failures(...bodyFailures) },
    },
  },
  '/api/runs/{id}': {
    parameters: [id],
    get: {
      summary: 'Get a run with its timeline and result',
      responses: {
        '200': answer('The run.', 'RunDetails'),
        ...failures('not_found', 'encrypted'),
      },
    },
  },
  '/api/runs/{id}/events': {
    parameters: [id],
    get: {
      summary: 'Stream a run as Server-Sent Events until it ends; each `run` is a RunView',
      responses: {
        '200': eventStream,
        '204': { description: 'The client already has the last event.' },
        ...failures('not_found'),
      },
    },
  },
  '/api/events': {
    get: {
      summary: 'Stream changes of all runs as Server-Sent Events; each `run` is a RunView',
      parameters: [{ name: 'Last-Event-ID', in: 'header', schema: { type: 'string' } }],
      responses: { '200': eventStream, ...failures() },
    },
  },
  '/api/queue': {
    get: {
      summary: 'Get the queue for containers, over all owners',
      responses: { '200': answer('The queue.', 'QueueView'), ...failures('no_search_attributes') },
    },
  },
  '/api/queue/history': {
    get: {
      summary: 'Get the length of the queue over the last 24 hours',
      responses: { '200': answer('One sample per minute.', 'QueueHistory'), ...failures('no_search_attributes') },
    },
  },
  '/api/errors': {
    get: {
      summary: 'Count failed runs by error',
      parameters: queryParameters(ErrorsQuery),
      responses: { '200': answer('A count for each error.', 'ErrorsView'), ...failures('no_search_attributes') },
    },
  },
  '/api/scale': {
    get: {
      summary: 'Get the number of containers that the current load could use',
      responses: { '200': answer('The number of containers.', 'ScaleView'), ...failures('no_search_attributes') },
    },
  },
  '/api/limiters': {
    get: {
      summary: 'List the limiters of all providers',
      responses: { '200': answer('All limiters.', 'LimitersBody'), ...failures() },
    },
  },
  '/api/metrics': {
    get: {
      summary: 'Get Prometheus metrics of queue, limiters and webhooks',
      responses: {
        '200': { description: 'Metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
        ...failures('no_search_attributes'),
      },
    },
  },
  '/api/limiters/{provider}/{model}/throttle': limiterChange('Stop new calls for some time', 'ThrottleRequest'),
  '/api/limiters/{provider}/{model}/resume': limiterChange('End a throttle and close the circuit breaker'),
  '/api/limiters/{provider}/{model}/set': limiterChange('Override limits', 'SetLimitsRequest'),
  '/api/runs/{id}/webhooks': {
    parameters: [id],
    get: {
      summary: 'List the run’s webhook messages with each delivery attempt',
      responses: { '200': answer('The messages.', 'WebhooksBody'), ...failures('not_found', 'encrypted') },
    },
  },
  '/api/runs/{id}/webhooks/replay': {
    parameters: [id],
    post: {
      summary: 'Send webhook messages again',
      requestBody: { content: json('ReplayRequest') },
      responses: {
        '202': answer('The messages are being sent.', 'WebhooksBody'),
        ...failures(...bodyFailures, 'not_found', 'encrypted'),
      },
    },
  },
  '/api/runs/{id}/cancel': {
    parameters: [id],
    post: {
      summary: 'Cancel a run',
      responses: { '202': answer('The run is being cancelled.', 'RunView'), ...failures('not_found', 'run_ended') },
    },
  },
  '/api/runs/{id}/priority': {
    parameters: [id],
    post: {
      summary: 'Change the priority of a run, even while it is queued',
      requestBody: { required: true, content: json('PriorityRequest') },
      responses: {
        '202': answer('The priority is being changed.', 'RunView'),
        ...failures(...bodyFailures, 'not_found', 'run_ended'),
      },
    },
  },
  '/api/runs/{id}/rerun': {
    parameters: [id],
    post: {
      summary: 'Start a new run with the same or a changed input',
      requestBody: { required: false, content: json('RerunRequest') },
      responses: {
        '201': answer('The new run; Location is its URL.', 'RunView'),
        ...failures(...bodyFailures, 'not_found', 'encrypted'),
      },
    },
  },
};

/** OpenAPI 3.1 document, generated from the schemas that validate the requests. */
export function serverOpenApi(version: string) {
  return {
    openapi: '3.1.0',
    info: { title: 'Holdfast server', version, license: { name: 'MIT', identifier: 'MIT' } },
    security: [{}, { bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(
        (Object.keys(describedSchemas) as SchemaName[]).map((name) => [name, jsonSchema(name)]),
      ),
    },
  };
}

/** The methods of an endpoint's path; HEAD is allowed wherever GET is. */
export function methodsOf(path: string): string[] {
  const matching = Object.entries(paths).filter(([template]) =>
    new RegExp(
      `^${template
        .replaceAll('.', String.raw`\.`)
        .replaceAll('{place}', '.+')
        .replaceAll(/\{\w+\}/g, '[^/]+')}/?$`,
      'i',
    ).test(path),
  );
  const methods = matching.flatMap(([, operations]) => Object.keys(operations)).filter((name) => name !== 'parameters');
  return methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
}
