import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { pictureHashes, picturePackets, tone } from '../../../support/films.ts';
import { matrixTest, rowsExcept } from '../../../support/rows.ts';

const { encode, encoded, file, make, outputFile } = await useEncodes();

const startCode = Buffer.from([0, 0, 1]);

/** Field order of four pictures, and whether the first field of each is repeated. */
const pulldown = [
  { upperFirst: true, repeatsField: true },
  { upperFirst: false, repeatsField: false },
  { upperFirst: false, repeatsField: true },
  { upperFirst: true, repeatsField: false },
];

/**
 * Marks progressive MPEG-2 pictures of 24000/1001 a second to last two or three fields, as discs do for television of
 * 30000/1001 (ISO/IEC 13818-2, 6.2.2.1, 6.2.2.3 and 6.2.3.1).
 */
function withPulldown(stream: Buffer): Buffer {
  const bytes = Buffer.from(stream);
  const set = (at: number, mask: number, bits: number): void =>
    void bytes.writeUInt8(((bytes[at] ?? 0) & ~mask) | bits, at);
  let [decoded, ofGroup, shown] = [0, 0, 0];
  for (let at = bytes.indexOf(startCode); at !== -1; at = bytes.indexOf(startCode, at + 3)) {
    const [kind, extension] = [bytes[at + 3], (bytes[at + 4] ?? 0) >> 4];
    // Sets the rate, and clears the flag of a progressive sequence, whose pictures would be shown twice.
    if (kind === 0xb3) set(at + 7, 0x0f, 4);
    if (kind === 0xb5 && extension === 1) set(at + 5, 0x08, 0);
    if (kind === 0xb8) ofGroup = decoded;
    if (kind === 0x00) {
      shown = ofGroup + (bytes.readUInt16BE(at + 4) >> 6);
      decoded += 1;
    }
    if (kind === 0xb5 && extension === 8) {
      const { upperFirst, repeatsField } = pulldown[shown % pulldown.length] ?? {};
      set(at + 7, 0x82, (upperFirst === true ? 0x80 : 0) | (repeatsField === true ? 0x02 : 0));
    }
  }
  return bytes;
}

const nearlyLossless = { codec: 'h264', speed: 'fast', crf: 1 } as const;
const plainH264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '1', '-profile:v', 'high', '-g', '250'];
const scaled = (size: string): string =>
  `scale=${size}:flags=lanczos+accurate_rnd+full_chroma_int,setsar=1,format=yuv420p`;

test.each(rowsExcept(['ts', 'mkv'], ['mpg', 'ts', 'mkv']))(
  'restores 24 pictures a second of a disc that repeats fields, in %s',
  async (extension) => {
    const still = 'testsrc2=s=400x800:r=24000/1001:d=0.01,format=yuv444p,loop=-1:1';
    const moved = "crop=160:480:x='120+110*sin(t*1.3)':y='100+90*sin(t*0.9)',trim=duration=1.5,format=yuv420p";
    const raw = ['-c:v', 'mpeg2video', '-q:v', '2', '-bf', '2', '-g', '12', '-f', 'mpeg2video'];
    const progressive = await make('progressive.m2v', '-f', 'lavfi', '-i', `${still},${moved}`, ...raw);
    await writeFile(file('flagged.m2v'), withPulldown(await readFile(progressive)));
    const source = `disc.${extension}`;
    await make(source, '-fflags', '+genpts', '-i', file('flagged.m2v'), '-c', 'copy');
    // Pictures last two and three fields in turn.
    const shown = (await picturePackets(file(source))).map(({ time }) => time);
    const steps = shown.slice(1).map((time, index) => Math.round((time - (shown[index] ?? 0)) * (60_000 / 1001)));
    expect(new Set(steps)).toEqual(new Set([2, 3]));
    const answer = await encode(source, [{ container: 'mkv', video: { codec: 'ffv1', deinterlace: 'auto' } }]);
    expect(answer.body).toMatchObject({ success: true });
    const [output] = EncodeResult.parse(answer.body).outputs;
    expect(output?.streams).toMatchObject([{ frames: 36, sourceScan: 'telecined' }]);
    // Matroska rounds to milliseconds.
    const times = (await picturePackets(outputFile(source))).map(({ time }) => time);
    expect(times).toEqual(Array.from({ length: 36 }, (_, index) => expect.closeTo((index * 1001) / 24_000, 2.8)));
    expect(await pictureHashes(outputFile(source))).toEqual(await pictureHashes(progressive));
    // Sound that begins 16 ms earlier moves the start of the film, and its first picture is shown from there.
    const early = `early.${extension}`;
    const streams = ['-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-c:a', 'mp2'];
    const late = ['-fflags', '+genpts', '-itsoffset', '0.005', '-i', file(source)];
    await make(early, ...late, ...tone(1.5), ...streams);
    await encoded(early, [{ container: 'mkv', video: { codec: 'ffv1', deinterlace: 'auto' } }]);
    const hashes = await pictureHashes(outputFile(early));
    expect(hashes.slice(hashes.length - 36)).toEqual(await pictureHashes(progressive));
  },
);

matrixTest('deinterlaces 1080i25 in H.264 in the order of its fields, for films and images', async () => {
  const still = 'testsrc2=s=2400x1300:r=50:d=0.02,format=yuv420p,loop=-1:1';
  const moved = "crop=1920:1080:x='240+230*sin(t*2)':y='110+100*sin(t*1.6)',trim=duration=0.6";
  const woven = ['-vf', 'tinterlace=interleave_top,setfield=tff', '-flags', '+ilme+ildct', '-top', '1'];
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '6', '-bf', '2'];
  const source = await make('1080i25.ts', '-f', 'lavfi', '-i', `${still},${moved}`, ...woven, ...h264);
  const [output] = (
    await encoded('1080i25.ts', [
      { container: 'mp4', video: { ...nearlyLossless, width: 480 } },
      { image: 'poster', at: 0.2, width: 480, imageFormat: 'png' },
    ])
  ).outputs;
  expect(output?.streams).toMatchObject([{ fps: 25, frames: 15, sourceScan: 'interlaced' }]);
  const deinterlaced = `bwdif=mode=send_frame:parity=tff:deint=all,${scaled('480:270')}`;
  const plain = ['-vf', deinterlaced, '-fps_mode', 'passthrough', ...plainH264, '-threads', '3'];
  await make('plain-1080i25.mkv', '-i', source, ...plain);
  const wanted = await pictureHashes(file('plain-1080i25.mkv'));
  expect(await pictureHashes(outputFile('1080i25.ts'))).toEqual(wanted);
});
