import { z } from 'zod';

/** The setting OTEL_EXPORTER_OTLP_ENDPOINT of a process: where it sends its traces; unset, it makes none. */
export const TraceEndpointSetting = z
  .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
  .transform((url) => url.replace(/\/+$/, ''))
  .optional();
