import { expect, test } from 'vitest';
import { formatHeadline, formatOutput } from '../../../cli/run/format-outcome.ts';
import type { EncodedOutput } from '../../../contract/http/output.ts';

const mp3: EncodedOutput = { format: 'mp3_64', size: 2048, sha256: 'abc', duration: 3 };

test('shows chapters and cover size of an output', () => {
  const output = { ...mp3, chapters: 1, cover: { width: 1400, height: 1400, size: 99_000 } };
  expect(formatOutput('a.mp3', output)).toContain('2.0 KiB · 1 chapter · cover of 1400 × 1400 pixels\n');
  expect(formatOutput('a.mp3', mp3)).not.toMatch(/chapter|cover/);
});

test('shows picture size, frame rate and frames of a video output', () => {
  const picture = { codec: 'h264', bitrate: 900, width: 1280, height: 720, fps: 29.97, frames: 90 };
  const film: EncodedOutput = { ...mp3, streams: [{ kind: 'video', ...picture }] };
  expect(formatOutput('a.mp4', film)).toContain(' · 1280 × 720 pixels, 29.97 fps, 90 frames · 3.00 s');
  const tape: EncodedOutput = { ...mp3, streams: [{ kind: 'video', ...picture, sourceScan: 'telecined' }] };
  expect(formatOutput('a.mp4', tape)).toContain(', 90 frames, source is telecined · 3.00 s');
});

test('shows the loudness curve of an output', () => {
  const figures = { integrated: -16, truePeak: -1, range: 5 };
  const momentary = [null, -50, -27.5, -5];
  const loudness = { ...figures, gain: 4, source: figures, curve: { interval: 0.1, momentary } };
  expect(formatOutput('a.mp3', { ...mp3, loudness })).toContain('\n      ▄█  -50 to -5 LUFS\n');
  expect(formatOutput('a.mp3', { ...mp3, loudness: { ...loudness, curve: undefined } })).not.toContain('█');
});

test('shows measured quality, the target and copied streams of an output', () => {
  const scores = { mean: 95.25, percentile1: 90, worstSecond: { value: 88.8, at: 63 } };
  const quality = { vmaf: { ...scores, model: 'vmaf_v0.6.1' }, psnr: scores, ssim: { ...scores, mean: 0.99 } };
  const picture = { codec: 'h264', bitrate: 900, width: 1280, height: 720, fps: 25, frames: 90 };
  const sound = { kind: 'audio', codec: 'aac', channels: 2, sampleRate: 48_000, notCopied: 'it is opus' } as const;
  const streams: EncodedOutput['streams'] = [{ kind: 'video', ...picture, copied: true }, sound];
  const text = formatOutput('a.mp4', { ...mp3, quality, target: { crf: 23.5, isReached: false }, streams });
  expect(text).toContain('\n    VMAF 95.3, 1st percentile 90.0, worst second 88.8 at 01:03.0\n');
  expect(text).toContain('\n    PSNR 95.3 dB, 1st');
  expect(text).toContain('\n    SSIM 0.9900, 1st');
  expect(text).toContain('\n    CRF 23.5, does not reach the target\n');
  const scenes = { count: 12, leastCrf: 19.4, greatestCrf: 26 };
  expect(formatOutput('a.mp4', { ...mp3, target: { crf: 23, isReached: true, scenes } })).toContain(
    '\n    CRF 23 (19.4 to 26 in 12 scenes), reaches the target\n',
  );
  expect(text).toContain(
    '\n    video: copied without re-encoding\n    audio: encoded instead of copied, because it is opus\n',
  );
});

test('names retries of a run, but not the attempts that its steps need', () => {
  const counts = { attempts: 1, rateLimitHits: 0, connectionErrors: 0, elapsedSeconds: 3 };
  const [encode, processing] = [1, 2];
  expect(formatHeadline('Encoded', 3000, counts, encode)).toBe('Encoded in 3.00 s');
  expect(formatHeadline('Encoded', 3000, { ...counts, attempts: 2 }, processing)).toBe('Encoded in 3.00 s');
  // Both steps of an earlier run were used again.
  expect(formatHeadline('Encoded', 3000, { ...counts, attempts: 0 }, processing)).toBe('Encoded in 3.00 s');
  expect(formatHeadline('Encoded', 3000, { ...counts, attempts: 2, rateLimitHits: 1 }, encode)).toBe(
    'Encoded in 3.00 s, after 1 retry (1 time busy, 0 connection errors)',
  );
  const tried = { ...counts, attempts: 5, rateLimitHits: 2, connectionErrors: 1 };
  expect(formatHeadline('Encoded', 3000, tried, processing)).toBe(
    'Encoded in 3.00 s, after 3 retries (2 times busy, 1 connection error)',
  );
});
