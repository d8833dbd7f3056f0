import express, { type RequestHandler } from 'express';

/** Fits an encode request whose outputs have the longest URLs. */
const smallBodySize = '256kb';

/** Fits the presigned URLs of 10,000 chunks. */
const largeBodySize = '16mb';

/** Large bodies that are read at a time. A hundred slow ones would exceed the memory of a small machine. */
const mostLargeBodies = 4;

/** Fits the presigned URLs of 10,000 parts. The job releases them when it ends. */
const uploadUrlsSize = '16mb';

/** Bodies of upload URLs that are read at a time. One job asks for them, and few callers answer. */
const mostUploadUrls = 4;

/** Not strict: `null` is JSON, and the schema reports what is wrong with it. */
export const readSmallBody: RequestHandler = express.json({ limit: smallBodySize, strict: false });

/** Reads the body; `refuse` answers if too many other bodies are being read. */
export const readLargeBody = (refuse: RequestHandler): RequestHandler =>
  readFew(largeBodySize, mostLargeBodies, refuse);

export const readUploadUrls = (refuse: RequestHandler): RequestHandler =>
  readFew(uploadUrlsSize, mostUploadUrls, refuse);

function readFew(limit: string, most: number, refuse: RequestHandler): RequestHandler {
  const readJson = express.json({ limit, strict: false });
  let reading = 0;
  return (request, response, next) => {
    if (reading >= most) return refuse(request, response, next);
    reading += 1;
    let isReading = true;
    const stop = (): void => {
      if (isReading) reading -= 1;
      isReading = false;
    };
    response.once('close', stop);
    return readJson(request, response, (error?: unknown) => {
      stop();
      next(error);
    });
  };
}
