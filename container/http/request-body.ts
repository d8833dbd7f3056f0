import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { checkRequest, type CheckedRequest, type RequestName } from './check-request.ts';
import { readBody } from './read-body.ts';
import { RequestThread } from './request-thread.ts';

/** Fits an encode request whose outputs have the longest URLs. */
const smallBodyBytes = 256 * 1024;

/** Fits the presigned URLs of 10,000 chunks or parts. */
const largeBodyBytes = 16 * 1024 ** 2;

/** Large bodies of one endpoint that are read or checked at a time. A hundred slow ones would exceed the memory of a small machine. */
const mostLargeBodies = 4;

/** Bytes of a body that is checked in a few milliseconds, whatever it contains. */
const mostBytesInline = 16 * 1024;

const thread = new RequestThread();

/** Reads and checks the body of a request; `checkedOf` returns it. */
export function readSmallBody(name: RequestName): RequestHandler {
  return async (request, response, next) => {
    await readChecked(name, request, smallBodyBytes);
    nextUnlessGone(response, next);
  };
}

/** Does the same; `refuse` answers if too many other bodies are being read. */
export function readLargeBody(name: RequestName, refuse: RequestHandler): RequestHandler {
  let reading = 0;
  return async (request, response, next) => {
    if (reading >= mostLargeBodies) return await refuse(request, response, next);
    reading += 1;
    try {
      await readChecked(name, request, largeBodyBytes);
    } finally {
      reading -= 1;
    }
    return nextUnlessGone(response, next);
  };
}

/** A client that disconnects during the check never releases its job, which would run on for nobody. */
function nextUnlessGone(response: Response, next: NextFunction): void {
  if (!response.destroyed) next();
}

/** Takes the checked body from its request: a held request lives as long as its job, and hundreds may join one job. */
export function checkedOf<Name extends RequestName>(request: Request): CheckedRequest<Name> {
  const checked = request.body as CheckedRequest<Name>;
  request.body = undefined;
  return checked;
}

async function readChecked(name: RequestName, request: Request, mostBytes: number): Promise<void> {
  const bytes = await readBody(request, mostBytes);
  request.body = bytes.length > mostBytesInline ? await thread.check(name, bytes) : checkRequest(name, bytes);
}
