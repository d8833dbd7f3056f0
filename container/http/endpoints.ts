/** Endpoints that `GET /` and every 404 list. */
export const endpoints = [
  'GET /',
  'GET /health',
  'GET /ready',
  'POST /metadata',
  'POST /source',
  'POST /encode',
  'POST /chunk',
  'GET /presets',
  'GET /jobs',
  'GET /jobs/:id',
  'GET /jobs/:id/events',
  'POST /jobs/:id/upload-urls',
  'DELETE /jobs/:id',
  'GET /slot',
  'GET /metrics',
  'GET /openapi.json',
] as const;
