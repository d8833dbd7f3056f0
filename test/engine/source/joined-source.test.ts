import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { joinSource } from '../../../engine/source/joined-source.ts';
import { openSource, type Source } from '../../../engine/source/source.ts';
import { makeMedia } from '../../support/media-files.ts';
import { inFolder, jobIn, limits } from '../sound/segmented/support.ts';

afterEach(() => {
  delete process.env['FFMPEG_PATH'];
});

async function makePart(folder: string): Promise<Buffer> {
  const sine = ['-f', 'lavfi', '-i', 'sine=d=0.1:r=48000', '-c:a', 'flac'];
  return await readFile(await makeMedia(folder, 'part.flac', ...sine));
}

/** Joins the parts. `before` is a shell command that precedes each start of ffmpeg. */
async function joinParts(folder: string, parts: readonly Buffer[], before: string): Promise<Source> {
  const [path, ffmpeg] = [join(folder, 'many.flac'), join(folder, 'own-ffmpeg')];
  await writeFile(ffmpeg, `#!/bin/sh\n${before}\nexec ffmpeg "$@"\n`);
  await chmod(ffmpeg, 0o755);
  await writeFile(path, Buffer.concat(parts));
  const job = jobIn(folder);
  const source = await openSource(path, limits, job.signal);
  process.env['FFMPEG_PATH'] = ffmpeg;
  return await joinSource(source, limits, job);
}

test('joins many parts of a file by one process', async () => {
  await inFolder(async (folder) => {
    const runs = join(folder, 'runs');
    const part = await makePart(folder);
    const parts = Array.from({ length: 50 }, () => part);
    const joined = await joinParts(folder, parts, `echo run >> '${runs}'`);
    expect(joined.estimatedSeconds).toBe(5);
    expect(await readFile(runs, 'utf8')).toBe('run\n');
  });
});

test('joins more parts than one process can join in groups', async () => {
  await inFolder(async (folder) => {
    const part = await makePart(folder);
    const group = await makeMedia(folder, 'group.caf', '-i', join(folder, 'part.flac'));
    const parts = Array.from({ length: 10_001 }, () => part);
    // Only groups of groups are joined by ffmpeg.
    const joinsParts = `for output; do :; done; case "$*" in *subfile,,*) cp '${group}' "$output"; exit;; esac`;
    const joined = await joinParts(folder, parts, joinsParts);
    expect(joined.estimatedSeconds).toBeCloseTo(101 * 0.1, 9);
  });
});

test('joins the first audio track with sound', async () => {
  await inFolder(async (folder) => {
    const inputs = ['anullsrc,atrim=end=0', 'sine=d=1:r=48000'].flatMap((input) => ['-f', 'lavfi', '-i', input]);
    const path = await makeMedia(folder, 'part.mkv', ...inputs, '-map', '0', '-map', '1', '-c:a', 'flac');
    const part = await readFile(path);
    const { audio, estimatedSeconds } = await joinParts(folder, [part, part], '');
    expect(estimatedSeconds).toBeCloseTo(2, 9);
    expect(audio).toMatchObject({ track: 0, codec: 'flac', isDecoded: true });
  });
});

test('joins the parts with sound if ffmpeg fails to join all parts, for whatever reason', async () => {
  await inFolder(async (folder) => {
    const part = await makePart(folder);
    // The marker and the STREAMINFO block, without samples.
    const header = part.subarray(0, 42);
    const refusal = "echo 'Error marking filters as finished' >&2; exit 1";
    const joined = await joinParts(folder, [part, part, header], `case "$*" in *concat=n=3:*) ${refusal};; esac`);
    expect(joined.estimatedSeconds).toBeCloseTo(0.2, 9);
  });
});
