import type { MultipartUploads } from '../../activities/storage/multipart.ts';
import type { Presigner } from '../../activities/storage/presign.ts';

export const fakePresigner: Presigner = {
  get: async ({ bucket, key }) => ({ url: `https://s3.test/${bucket}/${key}?X-Amz-Get`, expiresAtMs: Infinity }),
  put: async ({ bucket, key }) => ({ url: `https://s3.test/${bucket}/${key}?X-Amz-Put`, expiresAtMs: Infinity }),
  delete: async ({ bucket, key }) => ({ url: `https://s3.test/${bucket}/${key}?X-Amz-Delete`, expiresAtMs: Infinity }),
};

/** Never plans an upload in parts. */
export const fakeMultipart: MultipartUploads = {
  plan: () => undefined,
  create: async () => Promise.reject(new Error('unused')),
  sign: async () => Promise.reject(new Error('unused')),
  abort: async () => {},
  findSince: async () => [],
};
