import type { Presigner } from '../../activities/storage/presign.ts';

export const fakePresigner: Presigner = {
  get: async ({ bucket, key }) => ({ url: `https://s3.test/${bucket}/${key}?X-Amz-Get`, expiresAtMs: Infinity }),
  put: async ({ bucket, key }) => ({ url: `https://s3.test/${bucket}/${key}?X-Amz-Put`, expiresAtMs: Infinity }),
};
