import { isPlainKey } from '../plain-key.ts';

/** Reads `gs://<bucket>/<key>`. The key is literal: `#`, `?` and `%` are ordinary characters. */
export function parseGoogleUrl(url: string): { bucket: string; key: string } | undefined {
  const [, bucket, key] = /^gs:\/\/([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])\/(.+)$/s.exec(url) ?? [];
  return bucket !== undefined && key !== undefined && isPlainKey(key) ? { bucket, key } : undefined;
}
