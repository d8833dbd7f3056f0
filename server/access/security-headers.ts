import type { RequestHandler } from 'express';

/** An API shows nothing: whatever a browser makes of an answer, it loads and runs nothing, and stays out of frames. */
const headers = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // What is answered is for one caller at one moment.
  'Cache-Control': 'no-store',
};

export const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set(headers);
  next();
};
