import { answer, failures, json, pathParameter } from './openapi-parts.ts';

const ofUpload = ['not_found', 'uploads_unavailable', 'tus_version_unsupported', 'upload_busy'] as const;
const uploadFailures = failures(...ofUpload);
const ofId = pathParameter('id');
const ofFile = ['not_found', 'link_expired', 'precondition_failed', 'range_not_satisfiable'] as const;
const s3Failures = failures('not_found', 'uploads_unavailable', 'store_unavailable');
const links = ['expires', 'signature'].map((name) => ({
  name,
  in: 'query',
  required: true,
  schema: { type: 'string' },
}));

/** Uploads, by tus 1.0 (https://tus.io/protocols/resumable-upload) or to S3, and downloads of files. */
export const filePaths = {
  '/api/uploads': {
    post: {
      summary: 'Create an upload (tus 1.0)',
      responses: {
        '201': { description: 'The upload. Location ends with the id for `upload:<id>`.' },
        ...failures(
          'uploads_unavailable',
          'tus_version_unsupported',
          'request_too_large',
          'unsupported_media_type',
          'insufficient_storage',
        ),
      },
    },
  },
  '/api/uploads/{id}': {
    parameters: [ofId],
    head: {
      summary: 'Get the offset of an upload',
      responses: { '200': { description: 'Upload-Offset has the bytes received.' }, ...uploadFailures },
    },
    patch: {
      summary: 'Append bytes to an upload',
      requestBody: { required: true, content: { 'application/offset+octet-stream': {} } },
      responses: {
        '204': { description: 'Upload-Offset has the bytes received.' },
        ...failures(...ofUpload, 'upload_conflict', 'request_too_large', 'insufficient_storage'),
      },
    },
    delete: { summary: 'Delete an upload', responses: { '204': { description: 'Deleted.' }, ...uploadFailures } },
  },
  '/api/uploads/s3': {
    post: {
      summary: 'Create a multipart upload straight to a bucket',
      requestBody: { required: true, content: json('S3UploadRequest') },
      responses: {
        '201': answer('The upload; Location is its URL.', 'S3UploadView'),
        ...failures('uploads_unavailable', 'request_too_large', 'unsupported_media_type', 'store_unavailable'),
      },
    },
  },
  '/api/uploads/s3/{id}': {
    parameters: [ofId],
    get: {
      summary: 'List the uploaded parts',
      responses: { '200': answer('The upload with its uploaded parts.', 'S3UploadView'), ...s3Failures },
    },
    delete: {
      summary: 'Abort the upload and delete its parts',
      responses: { '204': { description: 'Aborted.' }, ...s3Failures },
    },
  },
  '/api/uploads/s3/{id}/parts': {
    parameters: [ofId],
    post: {
      summary: 'Presign a URL for each part',
      requestBody: { required: true, content: json('S3PartsRequest') },
      responses: { '200': answer('URLs for one PUT each.', 'S3PartUrls'), ...s3Failures },
    },
  },
  '/api/uploads/s3/{id}/complete': {
    parameters: [ofId],
    post: {
      summary: 'Complete the upload: join its parts into one object',
      responses: {
        '200': answer('The object, which a run can use as its source.', 'CompletedS3Upload'),
        ...failures('not_found', 'uploads_unavailable', 'store_unavailable', 'upload_unfinished'),
      },
    },
  },
  '/api/shared': {
    get: {
      summary: 'Get the results of a run by the ticket of a share link, which is the bearer token',
      responses: {
        '200': answer('The results.', 'SharedRun'),
        ...failures('not_found', 'link_expired', 'no_results', 'encrypted'),
      },
    },
  },
  '/media/zip/{ticket}': {
    parameters: [pathParameter('ticket')],
    get: {
      summary: 'Get all files of an output that has several as a zip, by a link in the run’s `archives`',
      security: [{}],
      responses: {
        '200': { description: 'The zip.' },
        ...failures('not_found', 'link_expired', 'no_results', 'encrypted'),
      },
    },
  },
  '/media/{place}': {
    parameters: [pathParameter('place')],
    get: {
      summary: 'Get a file of a run by a link in its `files`',
      security: [{}],
      parameters: links,
      responses: {
        '200': { description: 'The file.' },
        '206': { description: 'The requested range.' },
        ...failures(...ofFile),
      },
    },
  },
  '/media/in/{token}/{file}': {
    parameters: ['token', 'file'].map(pathParameter),
    get: {
      summary:
        'Get a file of an output that has several, by a link in the run’s `files`; the files refer to one another by relative paths',
      security: [{}],
      responses: {
        '200': { description: 'The file.' },
        '206': { description: 'The requested range.' },
        ...failures(...ofFile),
      },
    },
  },
};
