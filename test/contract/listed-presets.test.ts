import { expect, test } from 'vitest';
import { listPresets } from '../../contract/listed-presets.ts';
import { builtInPresets } from '../../contract/presets.ts';
import { withOwnPresets } from '../../contract/presets-file.ts';

test('lists presets without the signatures and passwords of their links', () => {
  const url = 'https://user:s3cret@media.test/a.png?X-Amz-Signature=s3cret#s3cret';
  const film = {
    ...{
      container: 'mp4',
      video: { codec: 'h264' },
      audio: { codec: 'aac', bitrate: 96 },
      metadata: { url: 'https://a.test/?b' },
    },
    ...{
      cover: { url },
      chapters: { url },
      watermark: { url, size: 0.1 },
      subtitles: { add: [{ url }], burn: { url } },
    },
  };
  const presets = withOwnPresets('/etc/presets.json', () => JSON.stringify({ film }));
  const listed = listPresets(presets);
  expect(JSON.stringify(listed)).not.toContain('s3cret');
  const shown = { url: 'https://media.test/a.png' };
  expect(listed.presets.find(({ name }) => name === 'film')).toEqual({
    ...{ ...film, name: 'film', cover: shown, chapters: shown, watermark: { ...shown, size: 0.1 } },
    subtitles: { add: [shown], burn: shown },
  });
  // The container reads the file by its whole URL.
  expect(presets['film']).toEqual(film);
});

test('lists the built-in presets unchanged', () => {
  const listed = Object.fromEntries(listPresets(builtInPresets).presets.map(({ name, ...preset }) => [name, preset]));
  expect(listed).toEqual(builtInPresets);
});
