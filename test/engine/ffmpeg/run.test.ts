import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { decodeGuards } from '../../../engine/ffmpeg/guards.ts';
import type { ProcessLimits } from '../../../engine/ffmpeg/process-limits.ts';
import { runFfmpeg } from '../../../engine/ffmpeg/run.ts';
import { speechWav } from '../../support/media.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

afterEach(() => {
  delete process.env['FFMPEG_PATH'];
});

const generous: ProcessLimits = { stallTimeoutSeconds: 30, maxOutputBytes: 1e9, maxCpuSeconds: 600 };

/** Makes a WAV of the speech with the fake ffmpeg, by default the real one, and returns its path. */
async function makeWav(limits: Partial<ProcessLimits>, fakeName?: string, inputOptions: string[] = []) {
  if (fakeName !== undefined) {
    process.env['FFMPEG_PATH'] = fileURLToPath(new URL(`../../fixtures/ffmpeg/${fakeName}`, import.meta.url));
  }
  const path = join(folder, 'output-0');
  await runFfmpeg({
    input: speechWav,
    inputOptions: [...decodeGuards, ...inputOptions],
    outputs: [{ path, options: ['-map', '0:a:0', '-f', 'wav'] }],
    limits: { ...generous, writableFolder: folder, ...limits },
    signal: new AbortController().signal,
  });
  return path;
}

test('an ffmpeg that computes for longer than the stall limit before its media clock moves has not stalled', async () => {
  const path = await makeWav({ stallTimeoutSeconds: 3 }, 'thinks-first');
  expect((await stat(path)).size).toBeGreaterThan(100_000);
});

test('an ffmpeg that neither computes nor reads nor writes is ended as stalled', async () => {
  await expect(makeWav({ stallTimeoutSeconds: 1 }, 'hangs')).rejects.toMatchObject({ code: 'stalled' });
});

test('an ffmpeg that computes endlessly is ended at its processor time limit', async () => {
  const computing = makeWav({ stallTimeoutSeconds: 3, maxCpuSeconds: 4 }, 'thinks-for-ever');
  await expect(computing).rejects.toMatchObject({ code: 'timeout' });
});

test('the real ffmpeg, which catches the signal of that limit, is also ended by it', async () => {
  const endless = makeWav({ maxCpuSeconds: 1 }, undefined, ['-stream_loop', '-1']);
  await expect(endless).rejects.toMatchObject({ code: 'timeout' });
});

test('an ffmpeg that exceeds the file size limit is ended as an invalid output', async () => {
  await expect(makeWav({ maxOutputBytes: 100_000 })).rejects.toMatchObject({ code: 'output_invalid' });
});

test('an ffmpeg may open 256 files, leaves no core dump, and is ended five seconds after its processor time limit', async () => {
  const path = await makeWav({ maxCpuSeconds: 60 }, 'tells-its-limits');
  expect(await readFile(path, 'utf8')).toBe('256\n0\n60\n65\n');
});
