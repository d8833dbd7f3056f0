import { createCipheriv, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Encryption } from './package-plan.ts';
import type { ReadPackage } from './read-package.ts';

const blockBytes = 16;

/** Bytes of a segment after PKCS #7 padding, which adds at least one byte. */
const paddedBytes = (bytes: number): number => (Math.floor(bytes / blockBytes) + 1) * blockBytes;

/** The package with the segment sizes after encryption (pure). */
export function withPadding(read: ReadPackage): ReadPackage {
  const parts = read.parts.map((part) => ({
    ...part,
    segments: part.segments.map((segment) => ({ ...segment, bytes: paddedBytes(segment.bytes) })),
  }));
  return { ...read, parts };
}

/**
 * Encrypts each segment whole (RFC 8216, 4.3.2.4); the packager does so for transport streams only. Playlists of key
 * frames name byte ranges of the unencrypted segments, which players widen to cipher blocks (RFC 8216, 6.3.6).
 */
export async function encryptSegments(
  { parts }: ReadPackage,
  { key, keyUri = '' }: Encryption,
  signal: AbortSignal,
): Promise<void> {
  for (const { playlist, keyFrames } of parts) {
    const iv = randomBytes(blockBytes);
    for (const { uri } of playlist.segments) {
      signal.throwIfAborted();
      const path = fileURLToPath(uri);
      const cipher = createCipheriv('aes-128-cbc', key, iv);
      await writeFile(path, Buffer.concat([cipher.update(await readFile(path)), cipher.final()]));
    }
    const tag = `#EXT-X-KEY:METHOD=AES-128,URI="${keyUri}",IV=0x${iv.toString('hex')}`;
    for (const { url } of [playlist, ...(keyFrames === undefined ? [] : [keyFrames])]) {
      const path = fileURLToPath(url);
      // The init segment stays unencrypted; it contains no media.
      await writeFile(
        path,
        (await readFile(path, 'utf8')).replace(/^#EXT-X-MAP:.*$/m, (map) => `${map}\n${tag}`),
      );
    }
  }
}
