import { type Request, Router } from 'express';
import { S3PartsRequest, S3UploadRequest } from '../../contract/server/s3-upload.ts';
import { authorize } from '../access/authenticate.ts';
import { ProblemError } from '../problem-error.ts';
import type { BucketUploads } from '../buckets/bucket-uploads.ts';
import { parseRequest } from './parse.ts';
import { readJson } from './read-json.ts';

type OfUpload = Request<{ id: string }>;

/** Uploads that go straight to a bucket by presigned URLs. */
export function s3UploadsRouter(uploads: BucketUploads | undefined): Router {
  const router = Router();
  router.use('/api/uploads/s3', (request, _response, next) => {
    authorize(request, 'run');
    if (uploads !== undefined) return next();
    throw new ProblemError(
      'uploads_unavailable',
      'This server does not presign uploads to a bucket: S3_UPLOAD_PREFIX is not set.',
    );
  });
  if (uploads === undefined) return router;
  router.post('/api/uploads/s3', readJson, async (request, response) => {
    const upload = await uploads.begin(parseRequest(S3UploadRequest, request.body), authorize(request, 'run'));
    response.status(201).location(`/api/uploads/s3/${upload.id}`).json(upload);
  });
  router.get('/api/uploads/s3/:id', async (request, response) => {
    response.json(await uploads.view(request.params.id, authorize(request, 'run')));
  });
  router.post('/api/uploads/s3/:id/parts', readJson, async (request: OfUpload, response) => {
    const { parts } = parseRequest(S3PartsRequest, request.body);
    response.json(await uploads.sign(request.params.id, parts, authorize(request, 'run')));
  });
  router.post('/api/uploads/s3/:id/complete', async (request, response) => {
    response.json(await uploads.complete(request.params.id, authorize(request, 'run')));
  });
  router.delete('/api/uploads/s3/:id', async (request, response) => {
    await uploads.remove(request.params.id, authorize(request, 'run'));
    response.status(204).end();
  });
  return router;
}
