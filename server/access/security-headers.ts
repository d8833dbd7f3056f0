import type { RequestHandler } from 'express';

/** Headers for API answers: a browser that renders one loads nothing, runs nothing and does not frame it. */
const headers = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Answers depend on the caller and change with each request.
  'Cache-Control': 'no-store',
};

export const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set(headers);
  next();
};
