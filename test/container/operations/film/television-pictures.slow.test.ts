import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { pictureHashes, picturePackets, plainScaler } from '../../../support/films.ts';
import { words } from '../../../support/media-files.ts';
import { matrixTest, rowsExcept } from '../../../support/rows.ts';

// Television films whose files declare nothing, or something false, about fields.

const execute = promisify(execFile);
const service = await useEncodes();
const { encode, encoded, make, outputFile } = service;

const nearlyLossless = { codec: 'h264', speed: 'fast', crf: 1 } as const;
const output = { container: 'mp4', video: nearlyLossless } as const;

const [film, pictures, fields] = ['24000/1001', '30000/1001', '60000/1001'];

/** A pan over a still picture, as ffmpeg's input; every rate shows the same at the same time. */
function pan(rate: string, seconds: number, size = '160:480'): string[] {
  const still = `testsrc2=s=400x800:r=${rate}:d=0.01,format=yuv444p,loop=-1:1`;
  const moved = `crop=${size}:x='120+110*sin(t*1.3)':y='100+90*sin(t*0.9)'`;
  return ['-f', 'lavfi', '-i', `${still},${moved},trim=duration=${seconds},format=yuv420p`];
}
/** Scrolling letters of thin lines, whose two fields are nearly alike. */
function titles(rate: string, seconds: number, linesPerSecond: number): string[] {
  const text = 'if(gt(mod(floor(X/3)*floor((Y+T*LINES)/2)\\,7)\\,3)*lt(mod(Y+T*LINES\\,40)\\,24)\\,235\\,16)';
  const luma = text.replaceAll('LINES', String(linesPerSecond));
  return ['-f', 'lavfi', '-i', `color=black:s=160x480:r=${rate}:d=${seconds},geq=lum='${luma}':cb=128:cr=128`];
}
const lossless = ['-c:v', 'ffv1', '-pix_fmt', 'yuv420p'];
const broadcast = ['-c:v', 'mpeg2video', '-q:v', '2', '-bf', '2', '-flags', '+ilme+ildct'];

const hashFilter = (filter: string, size: string): string => `${filter},${plainScaler(size)},setsar=1,format=yuv420p`;

async function plainHashes(source: string, filter: string, size = '160:480'): Promise<string[]> {
  const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '1', '-profile:v', 'high', '-g', '250'];
  const options = ['-vf', hashFilter(filter, size), '-fps_mode', 'passthrough', ...encoder, '-threads', '3'];
  return await pictureHashes(await make(`plain-${source}.mkv`, '-i', service.file(source), ...options));
}

/** PSNR of each picture against a reference, in dB. */
async function likenesses(path: string, reference: string): Promise<number[]> {
  const ordered = 'format=yuv420p,settb=1/25,setpts=N';
  const graph = `[0:v]${ordered}[made];[1:v]${ordered}[wanted];[made][wanted]psnr=stats_file=-:shortest=1`;
  const args = ['-v', 'error', '-i', path, '-i', reference, '-filter_complex', graph, '-f', 'null', '/dev/null'];
  const { stdout } = await execute('ffmpeg', args);
  return [...stdout.matchAll(/psnr_avg:(\S+)/g)].map(([, value]) => (value === 'inf' ? 99 : Number(value)));
}

const scanOf = (body: unknown): string | undefined => {
  const [made] = EncodeResult.parse(body).outputs;
  const [stream] = made?.streams ?? [];
  return stream?.kind === 'video' ? stream.sourceScan : undefined;
};

test.each<[string, string, string[], string, string]>(
  rowsExcept(
    ['has its lower field first and says nothing'],
    [
      ['says nothing of its fields', 'silent.mkv', [...lossless], 'tff', 'interleave_top,setfield=prog'],
      [
        'has its lower field first and says nothing',
        'lower.mkv',
        [...lossless],
        'bff',
        'interleave_bottom,setfield=prog',
      ],
      ['says the wrong field comes first', 'wrong.ts', broadcast, 'bff', 'interleave_bottom,setfield=tff'],
    ],
  ),
)('deinterlaces a film in its real field order that %s', async (_, source, codec, parity, woven) => {
  await make(source, ...pan(fields, 1), '-vf', `tinterlace=${woven}`, ...codec);
  const { body } = await encode(source, [output]);
  expect(body).toMatchObject({ success: true });
  expect(scanOf(body)).toBe('interlaced');
  expect(await pictureHashes(outputFile(source))).toEqual(
    await plainHashes(source, `bwdif=mode=send_frame:parity=${parity}:deint=all`),
  );
});

test.each([
  // ffmpeg 5 writes the other direction than this tag states.
  ['a quarter clockwise', '270', 'transpose=clock', '480:160'],
  ['upside down', '180', 'hflip,vflip', '160:480'],
  ['a quarter counterclockwise', '90', 'transpose=cclock', '480:160'],
])('deinterlaces the lines of a film that players turn %s', async (_, degrees, turn, size) => {
  const lying = await make(
    'lying.mov',
    ...pan(fields, 1),
    ...['-vf', 'tinterlace=interleave_top', '-c:v', 'mpeg4', '-q:v', '2', '-flags', '+ilme+ildct', '-top', '1'],
  );
  await make('turned.mov', '-i', lying, '-c', 'copy', '-metadata:s:v', `rotate=${degrees}`);
  const deinterlaced = `bwdif=mode=send_frame:parity=tff:deint=all,${turn}`;
  for (const deinterlace of ['auto', true] as const) {
    const film = { ...output, video: { ...nearlyLossless, deinterlace } };
    const { body } = await encode('turned.mov', [film, { image: 'poster', at: 0.5, imageFormat: 'png' }]);
    expect(body).toMatchObject({ success: true });
    expect(scanOf(body)).toBe('interlaced');
    expect(await pictureHashes(outputFile('turned.mov'))).toEqual(await plainHashes('lying.mov', deinterlaced, size));
  }
  const filter = `${deinterlaced},trim=start_frame=14:end_frame=15`;
  const still = await make('still.mkv', '-i', lying, '-vf', filter, ...lossless);
  const [likeness = 0] = await likenesses(outputFile('turned.mov', 1), still);
  expect(likeness).toBeGreaterThan(40);
});

test('finds the fields of HEVC in a transport stream, which ffmpeg enters between key frames', async () => {
  const params = 'log-level=none:crf=8:keyint=250:scenecut=0:bframes=3';
  const codec = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', params];
  await make('fields.ts', ...pan(fields, 12, '96:480'), '-vf', 'tinterlace=interleave_top', ...codec);
  const { body } = await encode('fields.ts', [{ ...output, video: { ...nearlyLossless, width: 48 } }]);
  expect(scanOf(body)).toBe('interlaced');
});

test.each<[string, string, string[], string[]]>(
  rowsExcept(
    [
      'titles',
      'drawings that each stand for three pictures',
      'synthetic pictures that move in all ways',
      'slow titles',
      'fast titles',
    ],
    [
      ['a camera that moves', 'moved.mkv', pan(pictures, 1), lossless],
      [
        'pictures that are said to be of two fields',
        'flagged.ts',
        pan('25', 1, '160:576'),
        [...broadcast, '-top', '1'],
      ],
      [
        'synthetic pictures that move in all ways',
        'synthetic.mkv',
        ['-f', 'lavfi', '-i', 'testsrc2=s=160x480:r=30000/1001:d=1'],
        lossless,
      ],
      ['slow titles', 'slow.mkv', titles(pictures, 1, 30), lossless],
      ['titles', 'titles.mkv', titles(pictures, 1, 60), lossless],
      ['fast titles', 'fast.mkv', titles(pictures, 1, 150), lossless],
      ['drawings that each stand for three pictures', 'drawn.mkv', [...pan('10', 1), '-r', '30'], lossless],
      ['one picture that stands still', 'still.mkv', [...pan('1', 1), '-r', '25'], lossless],
    ],
  ),
)('does not deinterlace whole pictures: %s', async (_, source, input, codec) => {
  await make(source, ...input, ...(codec.includes('-top') ? ['-vf', 'setfield=tff'] : []), ...codec);
  const { body } = await encode(source, [output]);
  expect(body).toMatchObject({ success: true });
  expect(['progressive', undefined]).toContain(scanOf(body));
  const size = source === 'flagged.ts' ? '160:576' : '160:480';
  expect(await pictureHashes(outputFile(source))).toEqual(await plainHashes(source, 'null', size));
});

test.each<[string, string, string[]]>(
  rowsExcept(
    ['a capture that says nothing'],
    [
      [
        'a broadcast that says it is interlaced',
        'broadcast.ts',
        ['telecine=pattern=23:first_field=top,setfield=tff', ...broadcast],
      ],
      [
        'a capture that says nothing',
        'capture.mkv',
        ['telecine=pattern=23:first_field=bottom,setfield=prog', ...lossless],
      ],
    ],
  ),
)('restores 24 pictures a second of a film telecined for %s', async (_, source, made) => {
  const [filter = '', ...codec] = made;
  const original = await make(`original-${source}.mkv`, ...pan(film, 2), ...lossless);
  await make(source, '-i', original, '-vf', filter, ...codec);
  const { body } = await encode(source, [output]);
  expect(body).toMatchObject({ success: true });
  expect(scanOf(body)).toBe('telecined');
  const { streams } = await probeAll(outputFile(source));
  expect(streams).toMatchObject([{ r_frame_rate: film }]);
  const likeness = await likenesses(outputFile(source), original);
  expect(likeness.length).toBeGreaterThanOrEqual(47);
  // A picture that moves by less than a line may get a field of its neighbour.
  expect(Math.min(...likeness)).toBeGreaterThan(30);
  expect(likeness.filter((each) => each < 36).length).toBeLessThanOrEqual(4);
});

matrixTest('restores 24 pictures a second of a file that shows them for two and three fields in turn', async () => {
  const original = await make('soft-original.mkv', ...pan(film, 2), ...lossless);
  const pulled = "settb=1001/60000,setpts='floor(N*5/2+0.5)'";
  const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '1', '-bf', '2', '-fps_mode', 'passthrough'];
  await make('soft.mkv', '-i', original, '-vf', pulled, ...encoder, '-enc_time_base', '1001:60000');
  const { body } = await encode('soft.mkv', [output]);
  expect(body).toMatchObject({ success: true });
  expect(scanOf(body)).toBe('telecined');
  const times = (await picturePackets(outputFile('soft.mkv'))).map(({ time }) => time);
  expect(times).toEqual(times.map((_, index) => expect.closeTo((index * 1001) / 24_000, 5)));
  const likeness = await likenesses(outputFile('soft.mkv'), original);
  expect(likeness).toHaveLength(48);
  expect(Math.min(...likeness)).toBeGreaterThan(40);
});

test('deinterlaces only the interlaced part of a mixed film', async () => {
  const whole = await make('whole.mkv', ...pan(pictures, 4), ...lossless);
  const woven = await make(
    'woven.mkv',
    ...pan(fields, 4),
    '-vf',
    'tinterlace=interleave_top,setfield=prog',
    ...lossless,
  );
  const graph = '[0:v]settb=1/90000[a];[1:v]settb=1/90000[b];[a][b]concat=n=2,setpts=N*1001/30000/TB';
  await make('mixed.mkv', '-i', whole, '-i', woven, '-filter_complex', graph, '-r', pictures, ...lossless);
  const { body } = await encode('mixed.mkv', [output]);
  expect(body).toMatchObject({ success: true });
  expect(scanOf(body)).toBe('mixed');
  const twice = await make(
    'twice.mkv',
    '-i',
    whole,
    '-i',
    whole,
    '-filter_complex',
    graph,
    '-r',
    pictures,
    ...lossless,
  );
  const made = await likenesses(outputFile('mixed.mkv'), twice);
  const untouched = await likenesses(service.file('mixed.mkv'), twice);
  const [ofWhole, ofFields] = [made.slice(0, 119), made.slice(120)];
  expect(ofWhole.filter((each) => each > 50).length).toBeGreaterThan(60);
  expect(Math.min(...ofWhole)).toBeGreaterThan(30);
  const combed = (likeness: readonly number[]): number => likeness.filter((each) => each < 29).length;
  expect(combed(untouched.slice(120))).toBeGreaterThan(40);
  expect(combed(ofFields)).toBeLessThanOrEqual(6);
});

test('inspects more than the first pictures of a film with a single key frame', async () => {
  const whole = await make('titles-of-one.mkv', ...pan('25', 0.5, '160:576'), ...lossless);
  const woven = ['tinterlace=interleave_top', 'setfield=prog'].join(',');
  const graph = `[0:v]settb=1/90000[a];[1:v]${woven},settb=1/90000[b];[a][b]concat=n=2,setpts=N/25/TB`;
  const oneKey = ['-r', '25', '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '5', '-g', '9999'];
  await make('one-key.mkv', '-i', whole, ...pan('50', 5, '160:576'), '-filter_complex', graph, ...oneKey);
  const { body } = await encode('one-key.mkv', [{ ...output, trim: { end: 0.2 } }]);
  expect(body).toMatchObject({ success: true });
  expect(scanOf(body)).toBe('mixed');
});

test('trims a telecined film, and makes images of it, by the restored pictures', async () => {
  const telecined = ['-vf', 'telecine=pattern=23:first_field=top,setfield=tff', ...broadcast, '-g', '15'];
  await make('part.mkv', ...pan(film, 2), ...telecined);
  const part = { ...output, trim: { start: 0.75, end: 1.5 } };
  await encoded('part.mkv', [output, part, { image: 'poster', at: 1 }]);
  const [whole, cut] = [0, 1].map((index) => outputFile('part.mkv', index));
  // The part has 18 pictures of 24000/1001 a second.
  const wanted = await make(
    'part-wanted.mkv',
    '-i',
    whole ?? '',
    ...words('-vf trim=start_frame=18:end_frame=36,setpts=PTS-STARTPTS -fps_mode passthrough'),
    ...lossless,
  );
  const likeness = await likenesses(cut ?? '', wanted);
  expect(likeness.map((each) => each > 40)).toEqual(Array.from({ length: 18 }, () => true));
});
