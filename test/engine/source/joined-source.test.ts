import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { joinSource } from '../../../engine/source/joined-source.ts';
import { openSource } from '../../../engine/source/source.ts';
import { makeMedia } from '../../support/media-files.ts';
import { inFolder, jobIn, limits } from '../sound/segmented/support.ts';

afterEach(() => {
  delete process.env['FFMPEG_PATH'];
});

test('joins many parts of a file by one process', async () => {
  await inFolder(async (folder) => {
    const runs = join(folder, 'runs');
    const counting = join(folder, 'counting-ffmpeg');
    await writeFile(counting, `#!/bin/sh\necho run >> '${runs}'\nexec ffmpeg "$@"\n`);
    await chmod(counting, 0o755);
    const sine = ['-f', 'lavfi', '-i', 'sine=d=0.1:r=48000', '-c:a', 'flac'];
    const part = await readFile(await makeMedia(folder, 'part.flac', ...sine));
    const path = join(folder, 'many.flac');
    await writeFile(path, Buffer.concat(Array.from({ length: 50 }, () => part)));
    const job = jobIn(folder);
    const source = await openSource(path, limits, job.signal);
    process.env['FFMPEG_PATH'] = counting;
    const joined = await joinSource(source, limits, job);
    expect(joined.estimatedSeconds).toBe(5);
    expect(await readFile(runs, 'utf8')).toBe('run\n');
  });
});
