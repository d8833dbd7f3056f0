import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../../../contract/http/output.ts';
import { joinFlac } from '../../../../../../engine/sound/segmented/join/flac/join.ts';
import { makeOnce } from '../../../../../support/media.ts';
import { randomNumbers } from '../../../../../support/random.ts';
import { encoded, music } from '../../inputs.ts';
import { inFolder, jobIn, segmentedRun, prepare, singleRun } from '../../support.ts';
import { inputs } from '../mp3-identity-support.ts';

const seconds = 50.123;
const pan = 'pan=5.1|FL=FL|FR=FR|FC=0.5*FL+0.5*FR|LFE=0.3*FL|BL=FL-0.5*FR|BR=FR-0.5*FL';

const sources: Record<string, () => Promise<string>> = {
  ...inputs,
  '24 bits at 96 kHz': async () =>
    await encoded(await music({ seconds, sampleRate: 96_000 }), 'music-24-96.wav', ['-c:a', 'pcm_s24le']),
  '5.1 channels': async () => await makeOnce('surround-50s.wav', ['-i', await music({ seconds }), '-af', pan]),
};

test.each<[string, DescribedOutput, number]>([
  ['music', { format: 'flac' }, 4],
  ['FLAC', { format: 'flac' }, 3],
  ['music 48k', { format: 'flac', channels: 1 }, 3],
  ['speech 16k', { format: 'flac' }, 3],
  ['digital silence', { format: 'flac' }, 3],
  ['24 bits at 96 kHz', { format: 'flac' }, 4],
  ['5.1 channels', { format: 'flac' }, 3],
  ['music', { format: 'flac', trim: { start: 3.21, end: 47.9 }, fade: { in: 2, out: 30 } }, 3],
])('%s as %j in %d segments: the same bytes as a single run', async (name, request, count) => {
  await inFolder(async (folder) => {
    const input = (await sources[name]?.()) ?? '';
    const { source, plan } = await prepare(input, request);
    const [single, segmented] = [join(folder, 'single'), join(folder, 'segmented')];
    const { file, cuts } = await segmentedRun(source, plan, count, randomNumbers(7), jobIn(folder), segmented);
    await singleRun(input, plan, single);
    const isSame = (await readFile(segmented)).equals(await readFile(single));
    expect(isSame, `cuts at frames ${cuts.join(', ')}`).toBe(true);
    expect(file?.seams).toEqual({ exact: count - 1, matched: 0 });
  });
});

test('a segment without the digest of all samples, and a file of another format, are rejected', async () => {
  await inFolder(async (folder) => {
    const input = await music({ seconds: 12.3 });
    const out = join(folder, 'out');
    await expect(joinFlac([{ path: input, cut: 0, runIn: 0 }], out)).rejects.toThrow('digest');
    const digest = { samples: 1, md5: Buffer.alloc(16) };
    await expect(joinFlac([{ path: input, cut: 0, runIn: 0 }], out, digest)).rejects.toThrow('no FLAC file');
  });
});
