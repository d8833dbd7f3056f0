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
  ...{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', minLength: 1, maxLength: 255 } },
  description: 'A second request with it gives the run that the first has started.',
};

const bodyFailures = ['request_too_large', 'unsupported_media_type'] as const;

const eventStream = { description: 'The events.', content: { 'text/event-stream': {} } };

const ofLimiter = ['provider', 'model'].map((name) => ({
  ...{ name, in: 'path', required: true, schema: { type: 'string' } },
}));

function limiterChange(summary: string, request?: SchemaName) {
  return {
    parameters: ofLimiter,
    post: {
      summary,
      ...(request !== undefined && { requestBody: { required: true, content: json(request) } }),
      responses: {
        '200': answer('How it stands after that.', 'LimiterEntry'),
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
      summary: 'Who asks, and what the server has',
      responses: { '200': answer('That.', 'SessionView'), ...failures() },
    },
  },
  '/api/presets': {
    get: {
      summary: 'What each preset sets',
      responses: { '200': answer('All of them.', 'PresetsBody'), ...failures() },
    },
  },
  '/api/inspect': {
    post: {
      summary: 'The facts of a source, without a run',
      requestBody: { required: true, content: json('InspectInput') },
      responses: {
        '200': answer('What a container found.', 'MetadataResult'),
        ...failures(...bodyFailures, 'source_unusable', 'containers_unavailable', 'inspect_timeout', 'encrypted'),
      },
    },
  },
  '/api/runs': {
    get: {
      summary: 'Runs: those under way, then the ended ones, the last first',
      parameters: queryParameters(RunsQuery),
      responses: { '200': answer('A page of them.', 'RunsPage'), ...failures('no_search_attributes', 'encrypted') },
    },
    post: {
      summary: 'Starts a run',
      parameters: [idempotencyKey],
      requestBody: { required: true, content: json('NewRunRequest') },
      responses: {
        '201': answer('It is started; Location names it.', 'RunView'),
        '200': answer('A request with the same Idempotency-Key has started it before.', 'RunView'),
        ...failures(...bodyFailures, 'idempotency_key_reused'),
      },
    },
  },
  '/api/runs:batch': {
    post: {
      summary: 'Starts, cancels or reruns many',
      requestBody: { required: true, content: json('BatchRequest') },
      responses: { '200': answer('What came of each.', 'BatchResult'), ...failures(...bodyFailures) },
    },
  },
  '/api/runs/{id}': {
    parameters: [id],
    get: {
      summary: 'One run with its timeline and its result',
      responses: {
        '200': answer('All that there is to know of it.', 'RunDetails'),
        ...failures('not_found', 'encrypted'),
      },
    },
  },
  '/api/runs/{id}/events': {
    parameters: [id],
    get: {
      summary: 'One run as Server-Sent Events until it ends: each `run` is a RunView',
      responses: {
        '200': eventStream,
        '204': { description: 'Last-Event-ID says that its end is known.' },
        ...failures('not_found'),
      },
    },
  },
  '/api/events': {
    get: {
      summary: 'What changes among the runs, as Server-Sent Events: each `run` is a RunView',
      parameters: [{ name: 'Last-Event-ID', in: 'header', schema: { type: 'string' } }],
      responses: { '200': eventStream, ...failures() },
    },
  },
  '/api/queue': {
    get: {
      summary: 'The line for containers, of all owners together',
      responses: { '200': answer('How long it is.', 'QueueView'), ...failures('no_search_attributes') },
    },
  },
  '/api/queue/history': {
    get: {
      summary: 'How long the line was in the last day',
      responses: { '200': answer('A sample of each minute.', 'QueueHistory'), ...failures('no_search_attributes') },
    },
  },
  '/api/errors': {
    get: {
      summary: 'By which errors runs have failed',
      parameters: queryParameters(ErrorsQuery),
      responses: { '200': answer('How many by each.', 'ErrorsView'), ...failures('no_search_attributes') },
    },
  },
  '/api/scale': {
    get: {
      summary: 'How many containers would be at work if there were as many',
      responses: { '200': answer('Their number.', 'ScaleView'), ...failures('no_search_attributes') },
    },
  },
  '/api/limiters': {
    get: {
      summary: 'The limiters of all providers',
      responses: { '200': answer('How each stands.', 'LimitersBody'), ...failures() },
    },
  },
  '/api/metrics': {
    get: {
      summary: 'The line, the limiters and the webhooks as Prometheus metrics',
      responses: {
        '200': { description: 'Metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
        ...failures('no_search_attributes'),
      },
    },
  },
  '/api/limiters/{provider}/{model}/throttle': limiterChange('Starts no call for some time', 'ThrottleRequest'),
  '/api/limiters/{provider}/{model}/resume': limiterChange('Ends a throttle, and closes the breaker'),
  '/api/limiters/{provider}/{model}/set': limiterChange('Overrides limits', 'SetLimitsRequest'),
  '/api/runs/{id}/webhooks': {
    parameters: [id],
    get: {
      summary: 'What it has told its webhook, with each try',
      responses: { '200': answer('The messages.', 'WebhooksBody'), ...failures('not_found', 'encrypted') },
    },
  },
  '/api/runs/{id}/webhooks/replay': {
    parameters: [id],
    post: {
      summary: 'Sends its messages again',
      requestBody: { content: json('ReplayRequest') },
      responses: {
        '202': answer('They are on their way.', 'WebhooksBody'),
        ...failures(...bodyFailures, 'not_found', 'encrypted'),
      },
    },
  },
  '/api/runs/{id}/cancel': {
    parameters: [id],
    post: {
      summary: 'Cancels it',
      responses: { '202': answer('It is being cancelled.', 'RunView'), ...failures('not_found', 'run_ended') },
    },
  },
  '/api/runs/{id}/priority': {
    parameters: [id],
    post: {
      summary: 'Changes its priority, also while it stands in the line',
      requestBody: { required: true, content: json('PriorityRequest') },
      responses: {
        '202': answer('It is being changed.', 'RunView'),
        ...failures(...bodyFailures, 'not_found', 'run_ended'),
      },
    },
  },
  '/api/runs/{id}/rerun': {
    parameters: [id],
    post: {
      summary: 'Starts another run with its input, or with a changed one',
      requestBody: { required: false, content: json('RerunRequest') },
      responses: {
        '201': answer('The new run; Location names it.', 'RunView'),
        ...failures(...bodyFailures, 'not_found', 'encrypted'),
      },
    },
  },
};

/** OpenAPI 3.1 of the server, made of the schemas that check its requests. */
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

/** The methods of an endpoint's path; HEAD is answered wherever GET is. */
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
