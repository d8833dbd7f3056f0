import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { musicOgg } from '../../../support/media.ts';
import { meterOf } from '../../../media/meter.ts';
import { wavFile } from '../../../media/wav.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { pcmDigest } from '../../../support/media-files.ts';

const service = await useEncodes();
const { encode, file, make, outputFile } = service;

/** A talk of two speakers 14 dB apart, with peaks. */
const makeTalk = async (): Promise<string> =>
  await make(
    'talk.wav',
    ...['-stream_loop', '-1', '-i', file('speech.wav'), '-t', '32'],
    ...['-af', "volume=eval=frame:volume='if(lt(mod(t,8),4),1,0.2)'", '-ac', '2'],
  );

describe('loudness of files', () => {
  test('reaches the loudness and peak of each output by an independent meter, and reports what the meter reads', async () => {
    await makeTalk();
    const rows: [request: DescribedOutput, integrated?: number, truePeak?: number][] = [
      [{ format: 'mp3_128', loudness: 'podcast' }, -16, -1],
      [{ format: 'aac_96', loudness: 'streaming' }, -14, -1],
      [{ format: 'opus_32', loudness: { integrated: -20, truePeak: -6 } }, -20, -6],
      [{ format: 'wav', loudness: 'ebu-r128' }, -23, -1],
      [{ format: 'mp3_64', channels: 1, loudness: 'podcast-mono' }, -19, -1],
      [{ format: 'flac' }],
    ];
    const answer = await encode(
      'talk.wav',
      rows.map(([request]) => request),
    );
    expect(answer.status).toBe(200);
    for (const [index, [, integrated, truePeak]] of rows.entries()) {
      const { loudness } = answer.body.outputs[index];
      if (integrated === undefined || truePeak === undefined) {
        expect(loudness).toBeUndefined();
        continue;
      }
      const judge = await meterOf(outputFile('talk.wav', index));
      expect(Math.abs(judge.integrated - integrated)).toBeLessThan(0.1);
      expect(judge.truePeak).toBeLessThanOrEqual(truePeak);
      expect(loudness.integrated).toBeCloseTo(judge.integrated, 1);
      expect(loudness.truePeak).toBeCloseTo(judge.truePeak, 1);
      expect(loudness.note).toBeUndefined();
    }
    // The speakers take turns of four seconds; the louder one begins.
    const { interval, momentary } = answer.body.outputs[0].loudness.curve;
    expect(momentary).toHaveLength(Math.ceil(32 / interval));
    const loudest = (from: number, to: number): number =>
      Math.max(...momentary.slice(Math.ceil(from / interval), Math.floor(to / interval)).map(Number));
    for (const start of [0, 8, 16, 24])
      expect(loudest(start + 1, start + 4)).toBeGreaterThan(loudest(start + 5, start + 8) + 5);
    expect(await pcmDigest(outputFile('talk.wav', 5), 's16le')).toBe(await pcmDigest(file('talk.wav'), 's16le'));
  });

  test('applies one gain from beginning to end, except where peaks are limited', async () => {
    await make('soft.wav', '-i', musicOgg, '-t', '10', '-af', 'volume=-6dB', '-c:a', 'pcm_f32le');
    const answer = await encode('soft.wav', [
      { container: 'wav', audio: { sampleFormat: 'float' }, loudness: 'podcast' },
    ]);
    const { gain, range, source } = answer.body.outputs[0].loudness;
    expect(gain).toBeCloseTo(-16 - source.integrated, 1);
    expect(range).toBeCloseTo(source.range, 1);
    const rest = await make(
      'rest.wav',
      '-i',
      file('soft.wav'),
      '-i',
      outputFile('soft.wav'),
      '-filter_complex',
      `[0]volume=${gain}dB:precision=double[louder];[1]volume=-1[negative];[louder][negative]amix=normalize=0`,
      '-c:a',
      'pcm_f32le',
    );
    expect((await meterOf(rest)).truePeak).toBeLessThan(-60);
  });
});

describe('sources without loudness', () => {
  test.each<[string, string[], object]>([
    [
      'silence',
      ['-f', 'lavfi', '-i', 'anullsrc=r=44100:cl=stereo', '-t', '5'],
      { integrated: null, truePeak: null, range: 0, gain: 0, note: expect.stringContaining('silent') },
    ],
    [
      'a fifth of a second',
      ['-f', 'lavfi', '-i', 'sine=f=500:d=0.2', '-ac', '2'],
      { integrated: null, gain: 0, note: expect.stringContaining('shorter than 400 ms') },
    ],
    [
      'a noise floor',
      ['-f', 'lavfi', '-i', 'anoisesrc=a=0.001:d=5:seed=1', '-ac', '2'],
      { gain: 30, note: expect.stringContaining('maxGain') },
    ],
  ])('leaves %s alone or raises it by maxGain, and a note says why', async (name, input, expected) => {
    const source = `${name.replaceAll(' ', '-')}.wav`;
    await make(source, ...input);
    const answer = await encode(source, [
      { format: 'mp3_128', loudness: 'podcast' },
      { format: 'wav', loudness: 'podcast' },
    ]);
    expect(answer.status).toBe(200);
    for (const index of [0, 1]) expect(answer.body.outputs[index].loudness).toMatchObject(expected);
  });

  test('says that channels cancel in a mix, and downmix takes one of them alone', async () => {
    await make('opposite.wav', '-f', 'lavfi', '-i', 'aevalsrc=0.3*sin(880*PI*t)|-0.3*sin(880*PI*t):d=2:s=44100');
    const answer = await encode('opposite.wav', [
      { format: 'mp3_64', channels: 1, loudness: 'podcast' },
      { format: 'mp3_64', downmix: 'left', loudness: 'podcast' },
      { format: 'wav', downmix: 'right', channels: 2 },
      { format: 'wav' },
    ]);
    const [mixed, left, right, both] = answer.body.outputs;
    expect(mixed.loudness).toMatchObject({ integrated: null, gain: 0 });
    expect(mixed.loudness.note).toMatch(/^Left and right cancel each other in the mix to one channel.*downmix/);
    expect(left).toMatchObject({ channels: 1, loudness: { integrated: expect.closeTo(-16, 1) } });
    expect(left.loudness.note).toBeUndefined();
    expect([right.channels, both.channels]).toEqual([2, 2]);
    // The right channel alone, 3 dB lower on both sides.
    const [loudest, ofSource] = await Promise.all([2, 3].map((index) => meterOf(outputFile('opposite.wav', index))));
    expect(loudest?.truePeak).toBeCloseTo((ofSource?.truePeak ?? 0) - 3, 1);
  });

  test('decodes samples that are no numbers as silence, and measures the rest', async () => {
    const samples = Float32Array.from({ length: 88_200 }, (_, index) => 0.1 * Math.sin(index / 16));
    samples[30_000] = Number.NaN;
    samples[40_000] = Infinity;
    const shape = { tag: 3, channels: 1, sampleRate: 44_100, bitsPerSample: 32 };
    await writeFile(file('wild.wav'), wavFile(shape, Buffer.from(samples.buffer)));
    const answer = await encode('wild.wav', [
      { format: 'mp3_64', loudness: 'podcast-mono' },
      { format: 'aac_64' },
      { format: 'wav' },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body.outputs[0].loudness.integrated).toBeCloseTo(-19, 1);
    // ffmpeg turns them into samples at full scale.
    expect((await meterOf(outputFile('wild.wav', 2))).truePeak).toBeLessThan(-19);
  });

  test('brings a quiet talk with one full-scale click to its loudness, and the click below the peak', async () => {
    await make(
      'click.wav',
      ...['-stream_loop', '-1', '-i', file('speech.wav'), '-t', '8'],
      '-af',
      // -ac 2 would take 3 dB off each channel.
      "volume=-25dB,aeval='if(eq(n,40000),0.99,val(0))':c=same,pan=stereo|c0=c0|c1=c0",
    );
    const answer = await encode('click.wav', [{ format: 'mp3_128', loudness: 'podcast' }]);
    expect(answer.body.outputs[0].loudness.source.truePeak).toBeGreaterThan(-1);
    const judge = await meterOf(outputFile('click.wav'));
    expect(Math.abs(judge.integrated + 16)).toBeLessThan(0.1);
    expect(judge.truePeak).toBeLessThanOrEqual(-1);
  });
});

test('brings a quiet talk with a slamming door to its loudness, though limiting the door changes what the gate measures', async () => {
  const slam = 'if(between(t,5,5.15),0.8*sin(2*PI*90*t),0)';
  await make('door.wav', '-i', file('speech.wav'), '-af', `volume=-18dB,aeval='val(0)+${slam}':c=same`);
  const answer = await encode('door.wav', [{ format: 'wav', loudness: 'podcast' }]);
  expect(answer.body.outputs[0].loudness.note).toBeUndefined();
  const judge = await meterOf(outputFile('door.wav'));
  expect(Math.abs(judge.integrated + 16)).toBeLessThan(0.1);
  expect(judge.truePeak).toBeLessThanOrEqual(-1);
});

test('limits a peak in the last hundredths of a second, in which no block of the meter ends', async () => {
  const click = 'if(between(t,2.06,2.0601),0.9,0)';
  await make('ends-by-click.wav', '-f', 'lavfi', '-i', `aevalsrc='0.1*sin(2*PI*440*t)+${click}':d=2.07:s=44100`);
  const answer = await encode('ends-by-click.wav', [
    { format: 'wav', loudness: 'podcast' },
    { format: 'mp3_64', loudness: 'podcast' },
  ]);
  expect(answer.body.outputs[0].loudness.source.truePeak).toBeGreaterThan(-1);
  for (const index of [0, 1]) {
    // ffmpeg's meter measures the whole end only if silence follows it.
    const padded = await make(
      `padded-${index}.wav`,
      '-i',
      outputFile('ends-by-click.wav', index),
      '-af',
      'apad=pad_dur=1',
    );
    expect((await meterOf(padded)).truePeak).toBeLessThanOrEqual(-1);
  }
});

test.each<[unknown, string]>([
  ['loud', 'none, podcast, podcast-mono, ebu-r128, atsc-a85, streaming'],
  [{ integrated: -16 }, 'truePeak'],
  [{ integrated: 3, truePeak: -1 }, 'loudness.integrated'],
  [{ integrated: -16, truePeak: 1 }, 'loudness.truePeak'],
])('rejects the loudness %j and lists what is allowed', async (loudness, said) => {
  const answer = await encode('music.wav', [{ format: 'mp3_128', loudness: loudness as never }]);
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain(said);
});

test('lets a loudness beside a preset override the loudness of the preset', async () => {
  const answer = await encode('music.wav', [
    { preset: 'radio-wav-ebu' },
    { preset: 'radio-wav-ebu', loudness: 'atsc-a85' },
    { preset: 'radio-wav-ebu', loudness: 'none' },
  ]);
  const loudness = answer.body.outputs.map(
    (output: { loudness?: { integrated: number } }) => output.loudness?.integrated,
  );
  expect(loudness).toEqual([expect.closeTo(-23, 1), expect.closeTo(-24, 1), undefined]);
});

test('reports the phase "measure", and leaves nothing if the job is cancelled in it', async () => {
  await make('long.wav', ...['-stream_loop', '-1', '-i', file('music.wav'), '-t', '1200']);
  const { container } = service;
  const outputs = [{ format: 'mp3_128', loudness: 'podcast', uploadUrl: container.fileUrl('out/long.mp3') }];
  const jobId = await container.submit('/encode', { sourceUrl: container.fileUrl('long.wav'), outputs });
  await container.untilJob(jobId, 'the measure', ({ phase }) => phase === 'measure');
  await container.call('DELETE', `/jobs/${jobId}`);
  expect(await container.untilEnded(jobId)).toMatchObject({ state: 'cancelled', phase: 'measure' });
  expect(await container.jobFolders()).toEqual([]);
});
