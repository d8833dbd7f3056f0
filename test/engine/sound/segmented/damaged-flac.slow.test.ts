import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestContainer } from '../../../support/container.ts';
import { placement, samplesOf } from '../../../support/media-files.ts';
import { encoded, music } from './inputs.ts';
import { rowsExcept } from '../../../support/rows.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';

const container = await stopAfterAll(TestContainer.start({ ENCODE_PARALLELISM: '2' }));

const isFallback = ({ msg }: { msg?: string }): boolean => msg?.includes('falling back to a single run') ?? false;

/** Overwrites bytes at a share of the file. */
const replaced = (file: Buffer, share: number, bytes: Buffer): Buffer => {
  const changed = Buffer.from(file);
  bytes.copy(changed, Math.round(file.length * share));
  return changed;
};

const lacking = (file: Buffer, share: number, count: number): Buffer =>
  Buffer.concat([file.subarray(0, file.length * share), file.subarray(file.length * share + count)]);

test.each<[string, (flac: Buffer) => Buffer]>(
  rowsExcept(
    [
      'of which 3 kB are garbage',
      'that lacks some frames of its second half',
      'of which 3 kB are zeros',
      'of which a second is zeros',
    ],
    [
      ['of which 3 kB are garbage', (flac) => replaced(flac, 0.7, Buffer.alloc(3000, 0x55))],
      ['of which 3 kB are zeros', (flac) => replaced(flac, 0.7, Buffer.alloc(3000))],
      ['of which a second is zeros', (flac) => replaced(flac, 0.3, Buffer.alloc(100_000))],
      ['that lacks a second of its first half', (flac) => lacking(flac, 0.3, 100_000)],
      ['that lacks some frames of its second half', (flac) => lacking(flac, 0.8, 40_000)],
    ],
  ),
)('a FLAC %s is encoded by a single run, and all outputs have the length of its samples', async (what, damage) => {
  const name = `${what.replaceAll(' ', '-')}.flac`;
  const flac = await readFile(await encoded(await music({ seconds: 100 }), 'music-100s.flac'));
  await writeFile(join(container.mediaRoot, name), damage(flac));
  const fallbacks = container.process.logLines.filter(isFallback).length;
  const outputs = ['mp3_128', 'opus_64', 'wav'].map((format) => ({
    format,
    uploadUrl: container.fileUrl(`${name}-${format}`),
  }));
  const answer = await container.call('POST', '/encode', { sourceUrl: container.fileUrl(name), outputs });
  expect(answer.status).toBe(200);
  await container.process.until('fallback in the log', () =>
    container.process.logLines.some((line) => isFallback(line) && line['fallbacks'] === fallbacks + 1),
  );
  const whole = await samplesOf(join(container.mediaRoot, name), 8000);
  for (const { format, segments, duration } of answer.body.outputs) {
    expect(segments).toBe(1);
    expect(Math.abs(duration - whole.length / 8000)).toBeLessThan(0.01);
    const output = await samplesOf(join(container.mediaRoot, `${name}-${format}`), 8000);
    for (const start of [10, 50, 90]) {
      const { lag, likeness } = placement(output.subarray(start * 8000, (start + 5) * 8000), whole, start, 8000);
      expect(likeness).toBeGreaterThan(0.9);
      expect(Math.abs(lag)).toBeLessThan(0.01);
    }
  }
});
