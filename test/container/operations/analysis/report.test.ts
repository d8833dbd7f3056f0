import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { AudioReport, SilentReport } from '../../../../contract/http/report.ts';
import { meterOf } from '../../../media/meter.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { words } from '../../../support/media-files.ts';

// Reports are compared with ffmpeg's filters, which measure by other means.

const service = await useEncodes();
const { encode, encoded, file, fromMusic, make, outputFile } = service;
const execute = promisify(execFile);

async function reportOf(source: string): Promise<AudioReport> {
  await encoded(source, [{ analysis: 'report' }]);
  return AudioReport.parse(JSON.parse(await readFile(outputFile(source), 'utf8')));
}

async function ffmpegSays(path: string, filter: string): Promise<string> {
  const { stderr } = await execute('ffmpeg', [
    ...words('-hide_banner -nostats -i'),
    path,
    '-af',
    filter,
    ...words('-f null -'),
  ]);
  return stderr;
}

function figures(text: string, name: string): number[] {
  return [...text.matchAll(new RegExp(`${name}: *(-?[\\d.]+)`, 'g'))].map(([, figure]) => Number(figure));
}

describe('reports', () => {
  beforeAll(async () => {
    const pauses = "volume='if(between(t,1,1.8)+between(t,3,3.4)+gte(t,4.3),0,1)':eval=frame";
    const [left, right] = ['0.3*sin(2764*t)+0.02*(random(0)-0.5)+0.01', '0.2*sin(3455*t)+0.02*(random(1)-0.5)-0.02'];
    await make('tune.wav', '-f', 'lavfi', '-i', `aevalsrc=${left}|${right}:s=44100:d=5`);
    await make('talk.wav', '-i', file('tune.wav'), '-af', `asetnsamples=441,${pauses}`);
    await make('loud.flac', '-i', file('tune.wav'), '-af', 'volume=18dB', '-t', '2');
    await make('past.mp3', '-f', 'lavfi', '-i', 'anoisesrc=c=pink:d=6:r=44100:a=0.3', '-ac', '2', '-b:a', '128k');
    await make('past.flac', '-i', file('past.mp3'), '-sample_fmt', 's16');
  });

  test('reports levels as astats, silence as silencedetect, and loudness as ebur128', async () => {
    const path = file('talk.wav');
    const report = await reportOf('talk.wav');
    expect(report).toMatchObject({ version: 1, duration: 5, channels: 2, sampleRate: 44_100 });
    const stats = await ffmpegSays(path, 'astats');
    for (const [channel, { peak, rms, dcOffset }] of report.levels.entries()) {
      expect(Math.abs((peak ?? 0) - (figures(stats, 'Peak level dB')[channel] ?? 0))).toBeLessThan(0.01);
      expect(Math.abs((rms ?? 0) - (figures(stats, 'RMS level dB')[channel] ?? 0))).toBeLessThan(0.01);
      expect(Math.abs(dcOffset - (figures(stats, 'DC offset')[channel] ?? 1))).toBeLessThan(2e-6);
    }
    const silence = await ffmpegSays(path, 'silencedetect=noise=-50dB:d=0.5');
    const [starts, ends] = [figures(silence, 'silence_start'), figures(silence, 'silence_end')];
    expect(report.silence.places).toHaveLength(2);
    for (const [index, { start, end }] of report.silence.places.entries()) {
      expect(Math.abs(start - (starts[index] ?? 0))).toBeLessThan(0.002);
      expect(Math.abs(end - (ends[index] ?? 0))).toBeLessThan(0.002);
    }
    const judge = await meterOf(path);
    expect(Math.abs((report.loudness.integrated ?? 0) - judge.integrated)).toBeLessThan(0.06);
    expect(Math.abs((report.loudness.truePeak ?? 0) - judge.truePeak)).toBeLessThan(0.06);
    const { curve } = report.loudness;
    expect(curve.interval).toBe(0.1);
    expect(curve.momentary).toHaveLength(50);
    // A window of 400 ms is silent once the pause has lasted 400 ms.
    expect(curve.momentary[16]).toBeNull();
    expect(curve.momentary[9]).toBeGreaterThan(-50);
    expect(report.clipping.count).toBe(0);
    expect(report.stereo?.kind).toBe('stereo');
  });

  test('reports clipping and the place of the first clip', async () => {
    const report = await reportOf('loud.flac');
    const raw = await execute('ffmpeg', ['-v', 'error', '-i', file('loud.flac'), '-f', 's16le', '-'], {
      encoding: 'buffer',
      maxBuffer: 2 ** 26,
    });
    const samples = new Int16Array(raw.stdout.buffer, raw.stdout.byteOffset, raw.stdout.length >> 1);
    const isClipped = (at: number): boolean => Math.abs(samples[at] ?? 0) >= 32_767;
    const first = samples.findIndex((_value, at) => isClipped(at) && isClipped(at + 2) && isClipped(at + 4));
    expect(report.clipping.count).toBeGreaterThan(20);
    expect(report.clipping.places[0]).toMatchObject({ channel: first % 2 });
    expect(Math.abs((report.clipping.places[0]?.start ?? 0) - first / 2 / 44_100)).toBeLessThan(0.001);
    expect(report.levels[0]?.dcOffset).toBeGreaterThan(0.02);
  });

  test('detects a FLAC that was made from an mp3, and a lossy mp3', async () => {
    const { bandwidth } = await reportOf('past.flac');
    expect(bandwidth).toMatchObject({ probablyLossy: true, resemblesBitrate: 128 });
    expect(bandwidth.cutoff).toBeGreaterThan(16_000);
    expect(bandwidth.cutoff).toBeLessThan(17_200);
    expect((await reportOf('past.mp3')).bandwidth.probablyLossy).toBe(true);
    expect((await reportOf('music.wav')).bandwidth.frequency).toBeGreaterThan(10_000);
  });

  test.each([
    ['one-sample.wav', ['-af', 'atrim=end_sample=1'], { duration: 0, channels: 2 }],
    ['surround.wav', ['-ac', '6', '-t', '1'], { channels: 6 }],
    ['telephone.wav', ['-ac', '1', '-ar', '8000', '-c:a', 'pcm_alaw', '-t', '1'], { channels: 1, sampleRate: 8000 }],
    [
      'no-numbers.wav',
      ['-af', "aeval='if(gt(t,0.5),0/0,val(ch))':c=same", '-c:a', 'pcm_f32le', '-t', '1'],
      { channels: 2 },
    ],
    ['nothing.flac', ['-af', 'volume=0', '-t', '1'], { noiseFloor: null, stereo: { kind: 'silent' } }],
  ])('reports on %s', async (name, args, expected) => {
    await make(name, ...fromMusic(), ...args);
    const report = await reportOf(name);
    expect(report).toMatchObject(expected);
    if (name === 'nothing.flac') expect(report.loudness).toMatchObject({ integrated: null, truePeak: null });
  });

  test('makes a report beside encodes', async () => {
    const answer = await encode('music.wav', [{ format: 'mp3_64' }, { analysis: 'report' }, { analysis: 'peaks' }]);
    const [, output] = EncodeResult.parse(answer.body).outputs;
    expect(output).toMatchObject({ analysis: 'report', contentType: 'application/json', duration: 5 });
    expect(output).not.toHaveProperty('peaks');
  });

  test('rejects fields of encoded audio in a report', async () => {
    const answer = await encode('music.wav', [{ analysis: 'report', zoom: 5 }]);
    expect(answer.status).toBe(400);
  });
});

test('reports each stream of a film, and the real timing of its pictures', async () => {
  const uneven = ['-vf', "select='not(eq(mod(n\\,7)\\,3))',setsar=4/3", '-fps_mode', 'vfr', '-pix_fmt', 'yuv420p10le'];
  const color = ['-color_primaries', 'bt2020', '-colorspace', 'bt2020nc', '-color_trc', 'arib-std-b67'];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '10', '-sc_threshold', '0', '-c:a', 'aac'];
  const tags = ['-metadata', 'title=A film', '-metadata:s:a:0', 'language=deu'];
  const pictures = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=2'];
  await make('film.mp4', ...pictures, ...fromMusic(), '-t', '2', ...uneven, ...color, ...codecs, ...tags);
  await make('turned.mp4', '-i', file('film.mp4'), '-c', 'copy', '-metadata:s:v:0', 'rotate=90');
  const report = await reportOf('turned.mp4');
  const { channels, sampleRate } = report;
  expect(report.file).toMatchObject({
    tags: { title: 'A film' },
    chapters: [],
    streams: [
      {
        ...{ index: 0, type: 'video', codec: 'h264', width: 160, height: 90, pixelFormat: 'yuv420p10le' },
        ...{ pixelAspect: '4:3', rotation: 270, isInterlaced: false },
        color: { space: 'bt2020nc', primaries: 'bt2020', transfer: 'arib-std-b67', hdr: 'hlg' },
      },
      { index: 1, type: 'audio', codec: 'aac', language: 'deu', channels, sampleRate },
    ],
    // Every seventh of 50 frames is missing, from the fourth on.
    pictures: { frames: 43, isConstant: false, shortest: 0.04, longest: 0.08, keyframes: 5 },
  });
  expect(report.file?.pictures?.seconds).toBeCloseTo(2, 1);
  expect((await reportOf('music.wav')).file).toMatchObject({ streams: [{ index: 0, type: 'audio' }] });
});

test('reports on a film without sound, and leaves out optional outputs of what the source lacks', async () => {
  await make('mute.mkv', '-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=2', '-c:v', 'ffv1');
  const wanted: DescribedOutput[] = [
    { analysis: 'report' },
    { analysis: 'peaks', optional: true },
    { image: 'waveform', optional: true },
    { image: 'contact-sheet', optional: true },
  ];
  const { outputs, source } = EncodeResult.parse((await encode('mute.mkv', wanted)).body);
  const leftOut = { size: 0, leftOut: { code: 'no_audio', error: expect.stringContaining('no audio stream') } };
  expect(outputs).toMatchObject([
    { analysis: 'report', duration: 2, contentType: 'application/json' },
    { analysis: 'peaks', ...leftOut },
    { image: 'waveform', ...leftOut },
    { image: 'contact-sheet', contentType: 'image/jpeg', tiles: { count: 20, interval: 0.1, columns: 5, rows: 4 } },
  ]);
  expect(source).toMatchObject({ duration: 2, complete: expect.anything() });
  expect((await readdir(file('out/mute.mkv'))).toSorted()).toEqual(['0', '3']);
  expect(SilentReport.parse(JSON.parse(await readFile(outputFile('mute.mkv'), 'utf8')))).toMatchObject({
    ...{ source: { format: 'matroska,webm' }, duration: 2 },
    file: { streams: [{ type: 'video', codec: 'ffv1' }], pictures: { frames: 50, isConstant: true, fps: 25 } },
  });
  // A part of missing sound is an error, and encoded outputs cannot be optional.
  for (const part of [{ trim: { start: 1 } }, { track: 0 }, { silence: { trimStart: true } }]) {
    const answer = await encode('mute.mkv', [{ analysis: 'report', ...part }]);
    expect(answer.body, JSON.stringify(part)).toMatchObject({ code: 'no_audio' });
  }
  expect((await encode('mute.mkv', [{ format: 'flac', optional: true }])).body).toMatchObject({
    ...{ code: 'invalid_request', error: expect.stringContaining('optional') },
  });

  const ofSound = await encode('second.wav', wanted);
  expect(ofSound.body).toMatchObject({
    outputs: [{ channels: 2 }, { peaks: {} }, { width: 1800 }, { size: 0, leftOut: { code: 'no_video' } }],
  });
});
