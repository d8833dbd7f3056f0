/** HTTP status of each error code (docs/reference/errors.md). */
export const statusByErrorCode = {
  invalid_request: 400,
  unauthorized: 401,
  host_forbidden: 403,
  source_forbidden: 403,
  upload_forbidden: 403,
  not_found: 404,
  source_not_found: 404,
  method_not_allowed: 405,
  lease_ended: 409,
  other_encoder: 409,
  source_too_large: 413,
  source_too_long: 413,
  request_too_large: 413,
  unsupported_media_type: 415,
  undecodable_source: 422,
  no_audio: 422,
  no_video: 422,
  source_truncated: 422,
  source_untrusted: 422,
  unsupported_format: 422,
  chunk_count_mismatch: 422,
  idempotency_key_reused: 422,
  checksum_mismatch: 422,
  source_changed: 422,
  segment_mismatch: 422,
  output_invalid: 422,
  upload_refused: 422,
  needs_more_memory: 422,
  busy: 429,
  cancelled: 499,
  internal: 500,
  ffmpeg_failed: 500,
  source_unavailable: 502,
  upload_failed: 502,
  timeout: 504,
  stalled: 504,
  upload_urls_missing: 504,
  draining: 503,
  disk_full: 503,
} as const;

export type ErrorCode = keyof typeof statusByErrorCode;

/** `undecodable_source` → `UndecodableSource`, the failure type of a workflow. */
export function failureType(code: string): string {
  return code.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
