import { expect, test } from 'vitest';
import { parseStarts, probeWithStarts } from '../../../engine/ffmpeg/stream-starts.ts';
import { motion, quickH264, tone } from '../../support/films.ts';
import { useFolder } from '../../support/folder.ts';
import { makeMedia } from '../../support/media-files.ts';

const folder = useFolder();

test('takes the earliest of the first packets of each stream, by decoding time where no other is stated', () => {
  const lines = ['0,0.080000,0.000000', '1,N/A,16.95', '0,0.040000,0.040000', '1,17.0,17.0', '2,N/A,N/A', ''].join(
    '\n',
  );
  expect(parseStarts(lines)).toEqual(
    new Map([
      [0, 0.04],
      [1, 16.95],
    ]),
  );
});

test('finds the format of pictures that last for seconds each', async () => {
  const path = await makeMedia(folder, 'slides.mkv', ...motion(20, '2/7'), ...tone(20), ...quickH264, '-c:a', 'aac');
  const { streams } = await probeWithStarts(path, new AbortController().signal);
  expect(streams).toMatchObject([{ codec_name: 'h264', pix_fmt: 'yuv420p' }, {}]);
});
