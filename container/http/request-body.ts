import express, { type RequestHandler } from 'express';

/** Room for the outputs of an encode with the longest URLs. */
const smallBodySize = '256kb';

/** Room for the presigned URLs of 10,000 chunks. */
const largeBodySize = '16mb';

/** Large bodies that are read at a time. A hundred of them, sent slowly, would be more than the memory of a small machine. */
const mostLargeBodies = 4;

/** Room for the presigned URLs of 10,000 parts. They are let go when their job has ended. */
const uploadUrlsSize = '16mb';

/** One job asks for them, and few callers answer it. */
const mostUploadUrls = 4;

/** Not strict: `null` is JSON, and its schema says what is wrong with it. */
export const readSmallBody: RequestHandler = express.json({ limit: smallBodySize, strict: false });

/** Reads the body, or has `refuse` answer where too many others are being read. */
export const readLargeBody = (refuse: RequestHandler): RequestHandler =>
  readFew(largeBodySize, mostLargeBodies, refuse);

/** Likewise. */
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
