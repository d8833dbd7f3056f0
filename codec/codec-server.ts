import { timingSafeEqual } from 'node:crypto';
import type { PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';

const wireFormat = proto.temporal.api.common.v1.Payloads;

/** Limit for a request: a page of a history with large results. Temporal's own limit for one payload is 2 MiB. */
const maxBody = '64mb';

export interface CodecServerOptions {
  codec: PayloadCodec;
  /** Origins of Web UIs that may ask from a browser. */
  allowedOrigins: readonly string[];
  /** Bearer token that every request must carry; undefined is allowed only on loopback addresses. */
  token: string | undefined;
}

/**
 * Temporal's codec server protocol: `POST /decode` and `/encode`, also below a namespace, with `{"payloads": […]}` in
 * proto JSON.
 */
export function createCodecServer({ codec, allowedOrigins, token }: CodecServerOptions): Express {
  const app = express().disable('x-powered-by');
  app.use((request, response, next) => {
    const { origin } = request.headers;
    // A page of another origin must not read payloads through the user's browser.
    if (origin !== undefined && !allowedOrigins.includes(origin)) {
      refuse(response, 403, `The origin ${origin} may not decode payloads. Name it in CODEC_ALLOWED_ORIGINS.`);
      return;
    }
    if (origin !== undefined) {
      response.set({
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Credentials': 'true',
        'Access-Control-Allow-Methods': 'POST, OPTIONS',
        'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Namespace',
        Vary: 'Origin',
      });
    }
    if (request.method === 'OPTIONS') response.status(204).end();
    else if (token !== undefined && !isBearer(request, token)) refuse(response, 401, 'The token is missing or wrong.');
    else next();
  });
  app.use(express.json({ limit: maxBody, type: () => true }));
  const route = (name: 'encode' | 'decode') =>
    app.post([`/${name}`, `/:namespace/${name}`], async (request, response) => {
      const { payloads } = wireFormat.fromObject(request.body as object);
      const answer = wireFormat.fromObject({ payloads: await codec[name](payloads) });
      response.json(wireFormat.toObject(answer, { bytes: String }));
    });
  route('decode');
  route('encode');
  app.use((request, response) =>
    refuse(response, 404, `There is no ${request.method} ${request.path}: POST /decode or /encode.`),
  );
  app.use((error: Error, _request: Request, response: Response, _next: NextFunction) =>
    refuse(response, 400, error.message),
  );
  return app;
}

function isBearer(request: Request, token: string): boolean {
  const given = Buffer.from(/^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '');
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function refuse(response: Response, status: number, message: string): void {
  response.status(status).json({ message });
}
