import { z } from 'zod';

/** Address of a store. Without the scheme, a parser takes the host of `localhost:9000` for one. */
export const EndpointSetting = z.url({
  protocol: /^https?$/,
  error: 'must be a URL that starts with http:// or https://',
  abort: true,
});
