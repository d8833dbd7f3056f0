import { z } from 'zod';

/** HTTP status and title of each problem that the server reports (docs/server.md, "Errors"). */
export const problems = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'The token is missing or not valid' },
  forbidden: { status: 403, title: 'The token does not allow this request' },
  host_forbidden: { status: 403, title: 'The Host or the Origin of the request is not allowed' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The path does not support this method' },
  run_ended: { status: 409, title: 'The run has already ended' },
  no_results: { status: 409, title: 'The run has no results' },
  upload_unfinished: { status: 409, title: 'The upload is not finished' },
  upload_conflict: { status: 409, title: 'The upload is at another offset' },
  upload_busy: { status: 409, title: 'Another request is sending the upload' },
  link_expired: { status: 410, title: 'The link has expired' },
  tus_version_unsupported: { status: 412, title: 'The server supports another version of tus' },
  precondition_failed: { status: 412, title: 'The file has another version' },
  request_too_large: { status: 413, title: 'The request is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  range_not_satisfiable: { status: 416, title: 'The range is beyond the end of the file' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used with another request' },
  source_unusable: { status: 422, title: 'The source cannot be used' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  no_search_attributes: { status: 501, title: 'Temporal lacks search attributes' },
  uploads_unavailable: { status: 501, title: 'The server stores no files' },
  encrypted: { status: 503, title: 'The run is encrypted' },
  containers_unavailable: { status: 503, title: 'No container answers' },
  store_unavailable: { status: 503, title: 'The store does not answer' },
  sign_in_unavailable: { status: 503, title: 'The sign-in provider does not answer' },
  temporal_unavailable: { status: 503, title: 'Temporal does not answer' },
  inspect_timeout: { status: 504, title: 'The inspection took too long' },
  insufficient_storage: { status: 507, title: 'The disk of the server is full' },
} as const;

export type ProblemCode = keyof typeof problems;

const codes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]];

/** RFC 9457, with `code` for programs and `errors` for invalid fields. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  /** Cause and remedy as sentences. */
  detail: z.string(),
  code: z.enum(codes),
  /** `unauthorized` only: URL at which a browser signs in. */
  login: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof Problem>;
