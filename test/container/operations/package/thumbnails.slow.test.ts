import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useEncodes } from '../../../support/encodes.ts';
import { makePackageOf, readDash, readHls } from './packages.ts';
import { quickH264, tone } from '../../../support/films.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { file, make } = service;
const run = promisify(execFile);

/** Mean brightness of the middle of a part of a picture. */
async function brightnessOf(path: string, part: string, seconds?: number): Promise<number> {
  const filter = `crop=${part},crop=iw/2:ih/2,scale=1:1:flags=area,format=gray`;
  const from = seconds === undefined ? [] : ['-ss', String(seconds)];
  const args = ['-v', 'error', ...from, '-i', path, '-frames:v', '1', '-vf', filter, '-f', 'rawvideo', '-'];
  const { stdout } = await run('ffmpeg', args, { encoding: 'buffer' });
  return stdout[0] ?? NaN;
}

/** Twelve seconds that become brighter with each picture, so that brightness gives the time. */
const makeDawn = async (): Promise<string> =>
  await make(
    'dawn.mp4',
    ...['-f', 'lavfi', '-i', `color=black:s=160x90:r=10:d=12,format=gray,geq=lum='20+N'`],
    ...[...tone(12), ...quickH264, '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
  );

test.each(
  rowsExcept(
    ['byte_ranges'],
    [
      [
        'files' as const,
        { playlist: 'thumbnails/main.m3u8', sheet: 'thumbnails/1.jpg', media: 'thumbnails/$Number$.jpg' },
      ],
      [
        'byte_ranges' as const,
        { playlist: 'thumbnails.m3u8', sheet: 'thumbnails-1.jpg', media: 'thumbnails-$Number$.jpg' },
      ],
    ],
  ),
)(
  'offers thumbnails in the layout %s to HLS and DASH, each of the right time',
  async (layout, { playlist, sheet, media }) => {
    const film = await makeDawn();
    const output = {
      package: ['hls' as const, 'dash' as const],
      layout,
      thumbnails: true,
      video: { speed: 'fast' as const },
    };
    const answer = await makePackageOf(service, 'dawn.mp4', output, layout);
    const names = (answer.files ?? []).map(({ name }) => name);
    expect(names.slice(-4)).toEqual([sheet, playlist, 'manifest.mpd', 'master.m3u8']);
    expect(answer.files?.find(({ name }) => name === sheet)).toMatchObject({ contentType: 'image/jpeg' });
    const folder = file(`out/${layout}`);

    const master = await readFile(join(folder, 'master.m3u8'), 'utf8');
    const bytes = answer.files?.find(({ name }) => name === sheet)?.size ?? NaN;
    const bandwidth = Math.ceil((bytes * 8) / (answer.duration ?? NaN));
    const [, said, rest] = /^#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=(\d+),(.*)$/m.exec(master) ?? [];
    expect(Math.abs(Number(said) - bandwidth)).toBeLessThan(10);
    expect(rest).toBe(`RESOLUTION=160x90,CODECS="jpeg",URI="${playlist}"`);
    const images = await readFile(join(folder, playlist), 'utf8');
    expect(images).toMatch(
      /^#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-IMAGES-ONLY\n#EXT-X-TARGETDURATION:1[23]\n#EXTINF:12\.0\d\d,\n#EXT-X-TILES:RESOLUTION=160x90,LAYOUT=10x2,DURATION=1\n(?:thumbnails-)?1\.jpg\n#EXT-X-ENDLIST\n$/,
    );
    const manifest = await readFile(join(folder, 'manifest.mpd'), 'utf8');
    const [, attributes, template, size] =
      /<AdaptationSet ([^>]*)>\s*<SegmentTemplate ([^>]*)\/>\s*<Representation ([^>]*)>\s*<EssentialProperty schemeIdUri="http:\/\/dashif\.org\/guidelines\/thumbnail_tile" value="10x2"\/>\s*<\/Representation>\s*<\/AdaptationSet>\s*<\/Period>/.exec(
        manifest,
      ) ?? [];
    expect(attributes).toBe('id="2" contentType="image" mimeType="image/jpeg"');
    expect(template).toBe(`timescale="1000" duration="20000" media="${media}" startNumber="1" endNumber="1"`);
    expect(size).toBe(`id="2" bandwidth="${said}" width="1600" height="180"`);

    for (let tile = 0; tile < 12; tile += 1) {
      const place = `160:90:${(tile % 10) * 160}:${Math.floor(tile / 10) * 90}`;
      const [shown, wanted] = [
        await brightnessOf(join(folder, sheet), place),
        await brightnessOf(film, 'iw:ih:0:0', tile),
      ];
      expect(Math.abs(shown - wanted), `tile ${tile}`).toBeLessThanOrEqual(2);
    }
    // Independent parsers ignore the thumbnails.
    expect((await readHls(join(folder, 'master.m3u8'))).variants).toHaveLength(2);
    expect((await readDash(join(folder, 'manifest.mpd'))).playlists).toHaveLength(1);
  },
);

test('thumbnails of a turned and cropped package show what its pictures show', async () => {
  const bar = 'color=black:s=160x90:r=10:d=3,drawbox=w=40:h=90:c=white:t=fill';
  await make('bar.mp4', '-f', 'lavfi', '-i', bar, ...quickH264);
  const video = { speed: 'fast', rotate: 90, crop: { bottom: 120 } } as const;
  await makePackageOf(service, 'bar.mp4', { package: ['hls'], thumbnails: true, video }, 'turned');
  const master = await readFile(file('out/turned/master.m3u8'), 'utf8');
  expect(master).toContain('RESOLUTION=90x40,CODECS="jpeg"');
  expect(await brightnessOf(file('out/turned/thumbnails/1.jpg'), '90:40:0:0')).toBeGreaterThan(230);
});

test('rejects thumbnails of sound alone', async () => {
  const refused = await service.container.call('POST', '/encode', {
    sourceUrl: service.container.fileUrl('music.wav'),
    outputs: [{ package: ['hls'], thumbnails: true, video: false, deliver: 'on_demand' }],
  });
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toContain('thumbnails need pictures, and it has none');
});
