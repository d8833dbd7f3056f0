import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readInfoFrame } from '../../../../../engine/formats/mp3/info-frame.ts';
import { FrameFile } from '../../../../../engine/formats/mp3/frame-file.ts';
import { joinMp3 } from '../../../../../engine/sound/segmented/join/mp3.ts';
import { randomNumbers } from '../../../../support/random.ts';
import { inFolder, jobIn, segmentedRun, prepare, singleRun } from '../support.ts';
import { inputs } from './mp3-identity-support.ts';

const execute = promisify(execFile);

/** MD5 of the samples as the decoder returns them, without rounding. */
async function decodedDigest(path: string): Promise<string> {
  const { stdout, stderr } = await execute('ffmpeg', [
    '-v',
    'warning',
    '-i',
    path,
    '-c:a',
    'pcm_f32le',
    '-f',
    'md5',
    '-',
  ]);
  expect(stderr).toBe('');
  return stdout.trim();
}

const headOf = async (path: string) => {
  const file = await FrameFile.open(path);
  await file.close();
  return { ...readInfoFrame(file.infoFrame), isVariable: file.isVariable, frameCount: file.frameCount };
};

test.each([
  ['music', 2, 5],
  ['music', 9, 4],
  ['speech', 4, 4],
  ['speech 22k', 2, 4],
  ['digital silence', 2, 4],
  ['music then speech', 0, 5],
  ['VBR mp3', 5, 3],
])('%s as mp3 of quality %d in %d segments decodes to the samples of a single run', async (name, quality, count) => {
  await inFolder(async (folder) => {
    const input = (await inputs[name]?.()) ?? '';
    const { source, plan } = await prepare(input, { container: 'mp3', audio: { codec: 'mp3', quality } });
    const [single, segmented] = [join(folder, 'single'), join(folder, 'segmented')];
    const { file } = await segmentedRun(source, plan, count, randomNumbers(7), jobIn(folder), segmented);
    await singleRun(input, plan, single);
    expect(file?.seams).toEqual({ exact: count - 1, matched: 0 });
    expect(await headOf(segmented)).toEqual(await headOf(single));
    expect(await decodedDigest(segmented)).toBe(await decodedDigest(single));
  });
});

test('an mp3 of a quality that is taken apart and put together has the same bytes, Xing frame included', async () => {
  await inFolder(async (folder) => {
    const input = (await inputs['music']?.()) ?? '';
    const [whole, again] = [join(folder, 'whole'), join(folder, 'again')];
    const { plan } = await prepare(input, { container: 'mp3', audio: { codec: 'mp3', quality: 2 } });
    await singleRun(input, plan, whole);
    await joinMp3([{ path: whole, cut: 0, runIn: 0 }], again);
    expect((await readFile(again)).equals(await readFile(whole))).toBe(true);
  });
});
