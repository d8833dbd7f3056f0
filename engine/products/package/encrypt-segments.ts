import { createCipheriv, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Encryption } from './package-plan.ts';
import type { ReadPackage } from './read-package.ts';

const blockBytes = 16;

/** Bytes of a segment with the padding of its cipher (PKCS #7): there is always some. */
const paddedBytes = (bytes: number): number => (Math.floor(bytes / blockBytes) + 1) * blockBytes;

/** The package as it will be when its segments are encrypted (pure). */
export function withPadding(read: ReadPackage): ReadPackage {
  const parts = read.parts.map((part) => ({
    ...part,
    segments: part.segments.map((segment) => ({ ...segment, bytes: paddedBytes(segment.bytes) })),
  }));
  return { ...read, parts };
}

/**
 * Encrypts each segment whole (RFC 8216, 4.3.2.4), which the packager does to transport streams alone. A playlist of key frames
 * names ranges of the segments before their encryption: players widen them to the blocks around (RFC 8216, 6.3.6).
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
      // Behind the init segment, which stays as it is: it has nothing of pictures or sound.
      await writeFile(
        path,
        (await readFile(path, 'utf8')).replace(/^#EXT-X-MAP:.*$/m, (map) => `${map}\n${tag}`),
      );
    }
  }
}
