import { answer, failures, json } from './openapi-parts.ts';

const ofUpload = ['not_found', 'uploads_unavailable', 'tus_version_unsupported', 'upload_busy'] as const;
const uploadFailures = failures(...ofUpload);
const ofId = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const s3Failures = failures('not_found', 'uploads_unavailable', 'store_unavailable');
const links = ['expires', 'signature'].map((name) => ({
  ...{ name, in: 'query', required: true, schema: { type: 'string' } },
}));

/** What callers send, by tus 1.0 (https://tus.io/protocols/resumable-upload) among others, and what they get. */
export const filePaths = {
  '/api/uploads': {
    post: {
      summary: 'Begins an upload (tus 1.0)',
      responses: {
        '201': { description: 'Location names it; it ends with the id for `upload:<id>`.' },
        ...failures(
          ...(['uploads_unavailable', 'tus_version_unsupported', 'request_too_large'] as const),
          ...(['unsupported_media_type', 'insufficient_storage'] as const),
        ),
      },
    },
  },
  '/api/uploads/{id}': {
    parameters: [ofId],
    head: {
      summary: 'How much of it is there',
      responses: { '200': { description: 'Upload-Offset has the bytes.' }, ...uploadFailures },
    },
    patch: {
      summary: 'Sends more of it',
      requestBody: { required: true, content: { 'application/offset+octet-stream': {} } },
      responses: {
        '204': { description: 'Upload-Offset has the bytes that are there.' },
        ...failures(...ofUpload, 'upload_conflict', 'request_too_large', 'insufficient_storage'),
      },
    },
    delete: { summary: 'Removes it', responses: { '204': { description: 'It is gone.' }, ...uploadFailures } },
  },
  '/api/uploads/s3': {
    post: {
      summary: 'Begins an upload that goes in parts straight to a bucket',
      requestBody: { required: true, content: json('S3UploadRequest') },
      responses: {
        '201': answer('It is begun; Location names it.', 'S3UploadView'),
        ...failures('uploads_unavailable', 'request_too_large', 'unsupported_media_type', 'store_unavailable'),
      },
    },
  },
  '/api/uploads/s3/{id}': {
    parameters: [ofId],
    get: {
      summary: 'Which of its parts the bucket has',
      responses: { '200': answer('Those.', 'S3UploadView'), ...s3Failures },
    },
    delete: {
      summary: 'Ends it, and removes its parts',
      responses: { '204': { description: 'It is gone.' }, ...s3Failures },
    },
  },
  '/api/uploads/s3/{id}/parts': {
    parameters: [ofId],
    post: {
      summary: 'Signs a URL for each part',
      requestBody: { required: true, content: json('S3PartsRequest') },
      responses: { '200': answer('Each takes one PUT.', 'S3PartUrls'), ...s3Failures },
    },
  },
  '/api/uploads/s3/{id}/complete': {
    parameters: [ofId],
    post: {
      summary: 'Makes one object of its parts',
      responses: {
        '200': answer('A run may have it as its source.', 'CompletedS3Upload'),
        ...failures('not_found', 'uploads_unavailable', 'store_unavailable', 'upload_unfinished'),
      },
    },
  },
  '/media/{place}': {
    parameters: [{ name: 'place', in: 'path', required: true, schema: { type: 'string' } }],
    get: {
      summary: 'A file of a run, by a link that the run has in `files`',
      security: [{}],
      parameters: links,
      responses: {
        '200': { description: 'The file.' },
        '206': { description: 'The range that was asked for.' },
        ...failures('not_found', 'link_expired', 'range_not_satisfiable'),
      },
    },
  },
  '/media/in/{token}/{file}': {
    parameters: ['token', 'file'].map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    get: {
      summary:
        'A file of an output that has several, by a link that the run has in `files`; they name one another by it',
      security: [{}],
      responses: {
        '200': { description: 'The file.' },
        '206': { description: 'The range that was asked for.' },
        ...failures('not_found', 'link_expired', 'range_not_satisfiable'),
      },
    },
  },
};
