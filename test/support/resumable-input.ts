import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Input of `processing` that resumes a run with failed chunks, with files in `folder`; it needs no container. */
export async function resumableInput(folder: string, count: number) {
  await mkdir(folder, { recursive: true });
  const uploadUrlPrefix = `${pathToFileURL(folder).href}/`;
  const content = 'OggS';
  const sha256 = createHash('sha256').update(content).digest('hex');
  const chunks = Array.from({ length: count }, (_, index) => ({
    ...{ index, start: index, duration: 1, size: 4, sha256, status: 'failed', error: 'timeout' },
    url: `${uploadUrlPrefix}chunk-${String(index).padStart(5, '0')}.ogg`,
  }));
  for (const { url } of chunks) await writeFile(fileURLToPath(url), content);
  const facts = { bitrate: 24, size: 1, duration: count, channels: 1, sampleRate: 24_000, sha256: '' };
  const encoded = { format: 'opus_24', ...facts, url: `${uploadUrlPrefix}encoded.ogg` };
  return { sourceUrl: 'https://media.test/a.wav', uploadUrlPrefix, resume: { encoded, chunks } };
}
