/** Header that identifies a request in requests, answers and between the processes of a run. */
export const requestIdHeader = 'X-Request-Id';

/** Field of log lines, and of the memo of a run that a request started. */
export const requestIdField = 'requestId';

/** 1 to 128 printable ASCII characters. */
const pattern = /^[\x20-\x7e]{1,128}$/;

export function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value);
}

const parameter = {
  name: requestIdHeader,
  in: 'header',
  schema: { type: 'string' },
  description: 'Identifies the request in logs and runs: 1 to 128 printable characters; another value is replaced.',
} as const;

const header = { schema: { type: 'string' }, description: 'The id of the request; new unless the request had one.' };

/** Operations of an OpenAPI path: `parameters` is a key beside the methods. */
type PathItem = Record<string, unknown>;

/** Adds the header to each operation of the paths of an OpenAPI document, and to each of its answers. */
export function withRequestIds<Paths extends Record<string, PathItem>>(paths: Paths): Paths {
  const described = Object.entries(paths).map(([path, item]) => {
    const { parameters = [], ...operations } = item;
    const answering = Object.entries(operations).map(([method, operation]) => [method, withHeader(operation)]);
    return [path, { parameters: [...(parameters as object[]), parameter], ...Object.fromEntries(answering) }];
  });
  return Object.fromEntries(described) as Paths;
}

function withHeader(operation: unknown): object {
  const { responses, ...rest } = operation as { responses: Record<string, object> };
  const answers = Object.entries(responses).map(([status, answer]) => [
    status,
    { ...answer, headers: { [requestIdHeader]: header } },
  ]);
  return { ...rest, responses: Object.fromEntries(answers) };
}
