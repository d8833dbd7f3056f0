import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildPage, readPageHeader } from '../../../../engine/formats/ogg/page.ts';
import { music } from '../../sound/segmented/inputs.ts';
import { inFolder, prepare, singleRun } from '../../sound/segmented/support.ts';

test('a page is parsed as it was built, with the checksum that ffmpeg wrote', async () => {
  await inFolder(async (folder) => {
    const input = await music({ seconds: 12.3 });
    const path = join(folder, 'whole');
    await singleRun(input, (await prepare(input, { format: 'opus_96' })).plan, path);
    const file = await readFile(path);
    const header = readPageHeader(file);
    const size = 27 + header.lacing.length + header.lacing.reduce((sum, value) => sum + value, 0);
    expect(buildPage(header, file.subarray(27 + header.lacing.length, size))).toEqual(file.subarray(0, size));
    expect(header).toMatchObject({ flags: 2, granulePosition: 0, sequence: 0 });
  });
});
