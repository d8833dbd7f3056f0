import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { pixelsOf, words } from '../../../support/media-files.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { motion, pictureHashes, picturePackets, pictureTimes, quickH264, tone } from '../../../support/films.ts';

const service = await useEncodes();
const { encode, encoded, make, file, outputFile, expectNothingUploaded } = service;

const nearLossless = { codec: 'h264', speed: 'fast', crf: 1 } as const;
const urlOf = (name: string): string => service.container.fileUrl(name);

const lastPicture = (path: string, name: string, filter = 'null') =>
  make(name, '-sseof', '-0.2', '-i', path, '-vf', filter, '-update', '1');

/** Largest and mean difference of a colour component. */
async function difference(one: string, other: string): Promise<{ most: number; mean: number }> {
  const [a, b] = [await pixelsOf(one, 'rgba'), await pixelsOf(other, 'rgba')];
  expect(a.length).toBe(b.length);
  let [most, sum] = [0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const by = Math.abs((a[at] ?? 0) - (b[at] ?? 0));
    most = Math.max(most, by);
    sum += by;
  }
  return { most, mean: sum / a.length };
}

/** A green rectangle with a transparent middle. */
const logo = () =>
  make(
    'logo.png',
    ...[
      ...words('-f lavfi -i'),
      'color=0x10c040:s=120x60,format=rgba,geq=r=r(X\\,Y):g=g(X\\,Y):b=b(X\\,Y):a=if(lt(abs(X-60)\\,20)\\,0\\,255)',
    ],
    ...['-frames:v', '1'],
  );

test('draws the watermark of each output over every picture where plain ffmpeg draws it', async () => {
  await logo();
  const source = await make('film.mp4', ...motion(1, '30000/1001', '320x240'), ...tone(1), ...quickH264, '-c:a', 'aac');
  const link = { url: urlOf('logo.png') };
  const answer = await encode('film.mp4', [
    {
      container: 'mp4',
      video: nearLossless,
      watermark: { ...link, place: 'top-left', size: 0.25, margin: 0.05, opacity: 0.5 },
    },
    { container: 'mp4', video: { ...nearLossless, width: 160 }, watermark: link },
    {
      container: 'mkv',
      video: { ...nearLossless, pixelFormat: 'yuv420p10le' },
      watermark: { ...link, place: 'centre', size: 1 },
    },
    { container: 'mp4', video: nearLossless },
  ]);
  expect(answer.body).toMatchObject({ success: true });
  const overlay = (mark: string, at: string, first = 'null') => [
    ...['-i', source, '-i', file('logo.png'), '-filter_complex'],
    `[0:v]${first}[film];[1:v]${mark}[mark];[film][mark]overlay=${at}:format=auto,format=yuv420p`,
    ...['-c:v', 'libx264', '-qp', '1', '-preset', 'ultrafast', '-an'],
  ];
  const half = 'format=rgba,colorchannelmixer=aa=0.5';
  const plain = [
    await make('plain-0.mp4', ...overlay(`scale=80:40:flags=lanczos,${half}`, 'x=16:y=16')),
    await make('plain-1.mp4', ...overlay('scale=24:12:flags=lanczos', 'x=132:y=104', 'scale=160:120:flags=lanczos')),
    await make('plain-2.mp4', ...overlay('scale=308:154:flags=lanczos', 'x=6:y=42')),
    source,
  ];
  const boxes = ['crop=80:40:16:16', 'crop=24:12:132:104', 'crop=308:154:6:42', 'null'];
  for (const [index, path] of plain.entries()) {
    const box = boxes[index];
    const own = await lastPicture(outputFile('film.mp4', index), `own-${index}.png`, box);
    const { mean } = await difference(own, await lastPicture(path, `plain-${index}.png`, box));
    expect(mean, `output ${index}`).toBeLessThan(4);
    const packets = await picturePackets(outputFile('film.mp4', index));
    expect(packets).toHaveLength(30);
    for (const [place, { time }] of packets.entries())
      expect(time).toBeCloseTo((place * 1001) / 30_000, index === 2 ? 2 : 5);
  }
  // The rest of the picture is unchanged.
  const without = ['crop=160:240:160:0'] as const;
  const bare = await make('bare.mp4', '-i', outputFile('film.mp4', 3), '-vf', ...without, ...quickH264, '-qp', '0');
  const marked = await make('marked.mp4', '-i', outputFile('film.mp4', 0), '-vf', ...without, ...quickH264, '-qp', '0');
  expect(await pictureHashes(marked)).not.toEqual([]);
  const { most } = await difference(await lastPicture(bare, 'bare.png'), await lastPicture(marked, 'marked.png'));
  expect(most).toBeLessThan(16);
});

test('draws a watermark in its own colours, upright by Exif, at a variable frame rate', async () => {
  await make('red.webp', '-f', 'lavfi', '-i', 'color=0xe02010:s=64x64', '-frames:v', '1');
  const photograph = await readFile(
    await make(
      'photo.jpg',
      ...words('-f lavfi -i color=0xe02010:s=120x40,drawbox=x=60:w=60:h=40:c=0x2010e0:t=fill -frames:v 1'),
    ),
  );
  // Exif orientation: turn by 90 degrees.
  const exif = Buffer.from('4578696600004d4d002a00000008000101120003000000010006000000000000', 'hex');
  const segment = Buffer.concat([Buffer.from('ffe1', 'hex'), Buffer.from([0, exif.length + 2]), exif]);
  await writeFile(file('photo.jpg'), Buffer.concat([photograph.subarray(0, 2), segment, photograph.subarray(2)]));
  const hd = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];
  const grey = ['-f', 'lavfi', '-i', "color=gray:s=320x180:r=25:d=1,select='not(eq(mod(n,5),2))'", '-fps_mode', 'vfr'];
  await make('grey.mp4', ...grey, ...quickH264, ...hd);
  await encoded('grey.mp4', [
    {
      container: 'mp4',
      video: nearLossless,
      watermark: { url: urlOf('red.webp'), place: 'top-right', size: 0.2, margin: 0 },
    },
    {
      container: 'mp4',
      video: nearLossless,
      watermark: { url: urlOf('photo.jpg'), place: 'bottom-left', size: 0.1, margin: 0 },
    },
  ]);
  const colourAt = async (index: number, x: number, y: number) => {
    const pixels = await pixelsOf(await lastPicture(outputFile('grey.mp4', index), `at-${index}.png`), 'rgba');
    return [...pixels.subarray(4 * (y * 320 + x), 4 * (y * 320 + x) + 3)];
  };
  const near = (found: number[], wanted: number[]) =>
    found.every((value, index) => Math.abs(value - (wanted[index] ?? 0)) <= 6);
  expect(await colourAt(0, 290, 30)).toSatisfy((found: number[]) => near(found, [0xe0, 0x20, 0x10]));
  expect(await colourAt(0, 240, 30)).toSatisfy((found: number[]) => near(found, [0x80, 0x80, 0x80]));
  // The upright image is 32 wide and 96 high; its left half is on top.
  expect(await colourAt(1, 16, 100)).toSatisfy((found: number[]) => near(found, [0xe0, 0x20, 0x10]));
  expect(await colourAt(1, 16, 165)).toSatisfy((found: number[]) => near(found, [0x20, 0x10, 0xe0]));
  expect(await colourAt(1, 40, 170)).toSatisfy((found: number[]) => near(found, [0x80, 0x80, 0x80]));
  const times = (await picturePackets(outputFile('grey.mp4'))).map(({ time }) => time);
  expect(times).toEqual((await picturePackets(file('grey.mp4'))).map(({ time }) => time));
});

test('a watermark, bars and a blurred background keep the times of a clock that is faster than microseconds', async () => {
  await make('dot.png', '-f', 'lavfi', '-i', 'color=red:s=16x16', '-frames:v', '1');
  const varied = ['-vf', "select='not(eq(mod(n,5),2))'", '-fps_mode', 'vfr', '-video_track_timescale', '10000000'];
  const times = await pictureTimes(await make('ticks.mp4', ...motion(1, '30000/1001'), ...varied, ...quickH264));
  const square = { ...nearLossless, width: 90, height: 90 };
  const made = [
    { container: 'mp4', video: nearLossless, watermark: { url: urlOf('dot.png') } },
    { container: 'mp4', video: { ...square, pad: 'black' } },
    { container: 'mov', video: { ...square, fit: 'blur' } },
    { container: 'mp4', video: nearLossless },
  ] as const;
  await encoded('ticks.mp4', made);
  for (const index of made.keys()) {
    const found = await pictureTimes(outputFile('ticks.mp4', index));
    expect(found, `output ${index}`).toEqual(times.map((time) => expect.closeTo(time, 6)));
  }
});

test('rejects an unusable watermark before the source is fetched, and never logs its headers', async () => {
  const asked: string[] = [];
  const sourceUrl = service.media.on('GET /film.mp4', (request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end();
  });
  await writeFile(file('mark.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const png = await readFile(await make('large.png', '-f', 'lavfi', '-i', 'testsrc=s=16x16', '-frames:v', '1'));
  png.writeUInt32BE(20_000, 16);
  png.writeUInt32BE(20_000, 20);
  await writeFile(file('large.png'), png);
  await make('half.png', '-f', 'lavfi', '-i', 'testsrc=s=400x400', '-frames:v', '1');
  await writeFile(file('half.png'), (await readFile(file('half.png'))).subarray(0, 900));
  for (const name of ['mark.svg', 'large.png', 'half.png']) {
    const output = { container: 'mp4', video: nearLossless, watermark: { url: urlOf(name) } };
    const answer = await encode(name, [output], { sourceUrl });
    expect(answer, name).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', details: { field: 'watermark' } },
    });
    expect(answer.body.error).toMatch(/^The watermark cannot be used: /);
    await expectNothingUploaded(name);
  }
  expect(asked).toEqual([]);
  const headers = { authorization: 'Bearer of-the-logo' };
  const seen: (string | undefined)[] = [];
  const url = service.media.on('GET /logo.png', (request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(403).end();
  });
  const refused = await encode('x', [{ container: 'mp4', video: {}, watermark: { url, headers } }], { sourceUrl });
  expect(refused.body).toMatchObject({ success: false, details: { field: 'watermark' } });
  expect(seen).toEqual(['Bearer of-the-logo']);
  expect(JSON.stringify([refused.body, service.container.process.logLines])).not.toContain('of-the-logo');
  const sound = await encode('music.wav', [{ format: 'mp3_128', watermark: { url } }]);
  expect(sound.body).toMatchObject({ code: 'unsupported_format', error: expect.stringContaining('needs pictures') });
});
