import { ErrorsQuery } from '../../contract/server/errors.ts';
import type { ProblemCode } from '../../contract/server/problem.ts';
import { RunsQuery } from '../../contract/server/run.ts';
import { UsageQuery } from '../../contract/server/usage.ts';
import { queryParameters } from '../../contract/openapi.ts';
import { answer, document, failures, json, pathParameter, type SchemaName } from './openapi-parts.ts';
import { filePaths } from './openapi-files.ts';

const id = { ...pathParameter('id'), description: 'percent-encoded' };
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description: 'A second request with the same key returns the run that the first request started.',
};

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: true,
  schema: { type: 'string', pattern: String.raw`^"\d{1,9}"$` },
  description: 'The version that was corrected; `"0"` is the transcript that the run wrote.',
};

/** Failures of requests whose input may name uploads. */
const inputFailures = ['not_found', 'upload_unfinished', 'uploads_unavailable', 'store_unavailable'] as const;

const bodyFailures = ['request_too_large', 'unsupported_media_type'] as const;

/** Endpoints that search runs need the search attributes. */
const bySearch: Operation = { failures: ['no_search_attributes'] };

const eventStream = { description: 'The events.', content: { 'text/event-stream': {} } };

const ofLimiter = ['provider', 'model'].map(pathParameter);

interface Operation {
  parameters?: object[];
  body?: SchemaName;
  isBodyOptional?: true;
  /** Status of success; 200 if it is missing. */
  status?: string;
  failures?: ProblemCode[];
}

/** An operation with a JSON answer. Operations with a body may also fail because of the body. */
function operation(summary: string, [description, schema]: [string, SchemaName], options: Operation = {}) {
  const { parameters, body, isBodyOptional, status = '200', failures: codes = [] } = options;
  return {
    summary,
    ...(parameters !== undefined && { parameters }),
    ...(body !== undefined && { requestBody: { required: isBodyOptional === undefined, content: json(body) } }),
    responses: {
      [status]: answer(description, schema),
      ...failures(...codes, ...(body === undefined ? [] : bodyFailures)),
    },
  };
}

function limiterChange(summary: string, body?: SchemaName) {
  const options: Operation = { failures: ['not_found'], ...(body !== undefined && { body }) };
  return {
    parameters: ofLimiter,
    post: operation(summary, ['The limiter after the change.', 'LimiterEntry'], options),
  };
}

const paths = {
  ...filePaths,
  '/api/openapi.json': {
    get: { summary: 'This document', security: [{}], responses: { '200': { description: 'OpenAPI 3.1.' } } },
  },
  '/ready': {
    get: {
      summary: 'Tell load balancers whether Temporal answers the server',
      security: [{}],
      responses: { '200': { description: 'Ready.' }, '503': { description: 'Not ready; `reason` says why.' } },
    },
  },
  '/api/session': {
    get: operation('Get the caller’s scopes and the server’s features', ['The session.', 'SessionView']),
  },
  '/api/presets': { get: operation('List presets', ['All presets with their settings.', 'PresetsBody']) },
  '/api/inspect': {
    post: operation('Inspect a source without starting a run', ['Metadata of the source.', 'MetadataResult'], {
      body: 'InspectInput',
      failures: [...inputFailures, 'source_unusable', 'containers_unavailable', 'inspect_timeout', 'encrypted'],
    }),
  },
  '/api/runs': {
    get: operation('List runs: active runs first, then ended runs, newest first', ['A page of runs.', 'RunsPage'], {
      parameters: queryParameters(RunsQuery),
      failures: ['no_search_attributes', 'encrypted'],
    }),
    post: {
      summary: 'Start a run',
      parameters: [idempotencyKey],
      requestBody: { required: true, content: json('NewRunRequest') },
      responses: {
        '201': answer('The new run; Location is its URL.', 'RunView'),
        '200': answer('The run that an earlier request with the same Idempotency-Key started.', 'RunView'),
        ...failures(...bodyFailures, ...inputFailures, 'idempotency_key_reused', 'encrypted'),
      },
    },
  },
  '/api/runs:batch': {
    post: operation('Start, cancel or rerun several runs', ['One result for each run.', 'BatchResult'], {
      body: 'BatchRequest',
    }),
  },
  '/api/runs/{id}': {
    parameters: [id],
    get: operation('Get a run with its timeline and result', ['The run.', 'RunDetails'], {
      failures: ['not_found', 'encrypted'],
    }),
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
    get: operation('Get the queue for containers, over all owners', ['The queue.', 'QueueView'], bySearch),
  },
  '/api/queue/history': {
    get: operation('Get the queue of the last 24 hours', ['One sample per minute.', 'QueueHistory'], bySearch),
  },
  '/api/errors': {
    get: operation('Count failed runs by error', ['A count for each error.', 'ErrorsView'], {
      ...bySearch,
      parameters: queryParameters(ErrorsQuery),
    }),
  },
  '/api/estimate': {
    post: operation(
      'Estimate a run from past runs of the same kind, without starting it',
      ['The estimate.', 'EstimateView'],
      {
        body: 'EstimateRequest',
        failures: ['no_search_attributes'],
      },
    ),
  },
  '/api/usage': {
    get: {
      summary: 'Sum what ended runs used, by day and owner',
      parameters: queryParameters(UsageQuery),
      responses: {
        '200': {
          description: 'The sums; with `format=csv` the rows as CSV.',
          content: { ...json('UsageView'), 'text/csv': { schema: { type: 'string' } } },
        },
        ...failures('no_search_attributes', 'encrypted'),
      },
    },
  },
  '/api/scale': {
    get: operation(
      'Get the number of containers that the current load could use',
      ['The number of containers.', 'ScaleView'],
      bySearch,
    ),
  },
  '/api/limiters': { get: operation('List the limiters of all providers', ['All limiters.', 'LimitersBody']) },
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
    get: operation('List the run’s webhook messages with each delivery attempt', ['The messages.', 'WebhooksBody'], {
      failures: ['not_found', 'encrypted'],
    }),
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
    post: operation('Cancel a run', ['The run is being cancelled.', 'RunView'], {
      status: '202',
      failures: ['not_found', 'run_ended'],
    }),
  },
  '/api/runs/{id}/priority': {
    parameters: [id],
    post: operation(
      'Change the priority of a run, even while it is queued',
      ['The priority is being changed.', 'RunView'],
      { body: 'PriorityRequest', status: '202', failures: ['not_found', 'run_ended'] },
    ),
  },
  '/api/runs/{id}/share': {
    parameters: [id],
    post: operation('Make a link to the results for people without a token', ['The link.', 'ShareView'], {
      ...{ body: 'ShareRequest', isBodyOptional: true, status: '201' },
      failures: ['not_found', 'no_results', 'encrypted'],
    }),
  },
  '/api/runs/{id}/transcript': {
    parameters: [id],
    put: operation('Store a corrected transcript as a new version', ['The new version.', 'RunFile'], {
      parameters: [ifMatch],
      ...{ body: 'TranscriptRequest', status: '201' },
      failures: [
        'not_found',
        'no_results',
        'precondition_failed',
        'uploads_unavailable',
        'insufficient_storage',
        'encrypted',
      ],
    }),
  },
  '/api/runs/{id}/rerun': {
    parameters: [id],
    post: operation(
      'Start a new run with the same or a changed input',
      ['The new run; Location is its URL.', 'RunView'],
      { body: 'RerunRequest', isBodyOptional: true, status: '201', failures: [...inputFailures, 'encrypted'] },
    ),
  },
};

/** OpenAPI 3.1 document, generated from the schemas that validate the requests. */
export function serverOpenApi(version: string) {
  return document('Holdfast server', version, paths);
}

type Paths = typeof paths;
type MutatingMethod<Path extends keyof Paths> = Extract<keyof Paths[Path], 'post' | 'put' | 'patch' | 'delete'>;

/** Such as `POST /api/runs/{id}/cancel`. */
export type MutatingOperation = {
  [Path in keyof Paths]: `${Uppercase<MutatingMethod<Path>>} ${Path}`;
}[keyof Paths];

/** The methods of an endpoint's path; HEAD is allowed wherever GET is. */
export function methodsOf(path: string): string[] {
  const methods = pathItemsAt(path)
    .flatMap(([, operations]) => Object.keys(operations))
    .filter((name) => name !== 'parameters');
  return [...new Set(methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])))];
}

/** The operation of a request, such as `POST /api/runs/{id}/cancel`. */
export function operationAt(method: string, path: string): string | undefined {
  const found = pathItemsAt(path).find(([, operations]) => Object.hasOwn(operations, method.toLowerCase()));
  return found && `${method} ${found[0]}`;
}

function pathItemsAt(path: string): [template: string, operations: object][] {
  const matching = Object.entries(paths).filter(([template]) => patternOf(template).test(path));
  // A literal path such as /api/uploads/s3 takes precedence over a template that also matches it (OpenAPI 3.1, 4.8.8.2).
  const literal = matching.filter(([template]) => !template.includes('{'));
  return literal.length > 0 ? literal : matching;
}

function patternOf(template: string): RegExp {
  const pattern = template
    .replaceAll('.', String.raw`\.`)
    .replaceAll('{place}', '.+')
    .replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}/?$`, 'i');
}
