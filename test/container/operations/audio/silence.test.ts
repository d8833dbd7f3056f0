import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import type { Silence } from '../../../../contract/http/silence.ts';
import { probeChapters } from '../../../engine/formats/tags/read-tags.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { probe, rawSamplesOf } from '../../../support/media-files.ts';

// Sources without their pauses are compared with samples that are cut by arithmetic.

const service = await useEncodes();
const { encode, encoded, expectNothingUploaded, file, fromMusic, make, outputFile } = service;

const rate = 44_100;

/** Seconds at which pauses end inside a file, by ffmpeg's own detector. */
async function detectPauses(path: string, seconds: number): Promise<number[]> {
  const filter = `silencedetect=n=-50dB:d=${seconds}`;
  const { stderr } = await promisify(execFile)('ffmpeg', ['-i', path, '-af', filter, '-f', 'null', '-']);
  return [...stderr.matchAll(/silence_end: ([\d.]+)/g)].map(([, end]) => Number(end)).slice(1, -1);
}

describe('silence', () => {
  /** Seconds of noise between the pauses. */
  const heard = [
    [0.6, 1.2],
    [2.5, 3.1],
    [3.2, 3.8],
    [4.3, 4.6],
  ] as const;

  /** Joins these spans of seconds. */
  function joined(samples: Int16Array, keep: readonly (readonly [number, number])[]): Int16Array {
    const parts = keep.map(([from, to]) => samples.slice(Math.round(from * rate) * 2, Math.round(to * rate) * 2));
    return Int16Array.from(parts.flatMap((part) => [...part]));
  }

  beforeAll(async () => {
    const isHeard = heard.map(([from, to]) => `gte(t,${from - 0.005})*lt(t,${to - 0.005})`).join('+');
    // Edges at whole samples keep noise out of every block of a pause.
    const filter = `asetnsamples=441:p=0,volume='if(${isHeard},1,0.0005)':eval=frame`;
    // Noise has no quiet moments, unlike music.
    const noise = `anoisesrc=a=0.3:seed=7:r=${rate}:d=5`;
    await make('pauses.wav', '-f', 'lavfi', '-i', noise, '-af', filter, '-ac', '2', '-c:a', 'pcm_s16le');
  });

  test.each<[string, Silence, [number, number][]]>([
    ['at both ends', { trimStart: true, trimEnd: true }, [[0.5, 4.7]]],
    ['at its beginning', { trimStart: true }, [[0.5, 5]]],
    [
      'in the middle',
      { shortenTo: 0.4 },
      [
        [0.2, 1.4],
        [2.3, 4],
        [4.1, 5],
      ],
    ],
  ])('removes silence %s to the sample', async (_, silence, keep) => {
    await encoded('pauses.wav', [{ format: 'wav', silence }, { format: 'wav' }]);
    const whole = await rawSamplesOf(outputFile('pauses.wav', 1), 's16le');
    const made = await rawSamplesOf(outputFile('pauses.wav'), 's16le');
    const expected = joined(whole, keep);
    expect(made.length).toBe(expected.length);
    expect(made.findIndex((sample, index) => sample !== expected[index])).toBe(-1);
  });

  test('removes silence from an mp3 with a trim and fades, by the settings of each output', async () => {
    await make('pauses.mp3', '-i', file('pauses.wav'), '-b:a', '192k');
    const silence = { trimStart: true, trimEnd: true, shortenTo: 0.4 };
    const outputs: DescribedOutput[] = [
      { format: 'opus_64', silence, trim: { start: 1, end: 4.5 }, fade: { in: 0.1, out: 0.1 } },
      { format: 'wav', silence, trim: { start: 1, end: 4.5 } },
      { format: 'wav', silence: { trimStart: true, threshold: -90 } },
    ];
    const answer = await encode('pauses.mp3', outputs);
    expect(answer.status).toBe(200);
    // The trim from 1 s to 4.5 s loses 0.9 s of the pause at 1.2 s and 0.1 s of the pause at 3.8 s.
    const durations = answer.body.outputs.map(({ duration }: { duration: number }) => duration);
    expect(Math.abs(durations[0] - 2.5)).toBeLessThan(0.06);
    expect(durations[1]).toBe(durations[0]);
    expect(durations[2]).toBe(answer.body.source.duration);
  });

  test('moves the chapters that follow removed silence', async () => {
    const chapters = [
      { start: 0, title: 'before' },
      { start: 1, title: 'first' },
      { start: 2, title: 'in a pause' },
      { start: 3.3, title: 'third' },
    ];
    const silence = { trimStart: true, shortenTo: 0.4 };
    await encoded('pauses.wav', [{ format: 'flac', silence, chapters }]);
    const read = (await probe(outputFile('pauses.wav'), '-show_chapters')) as { chapters: { start_time: string }[] };
    // 0.5 s are removed before the first sound, and 0.9 s from 1.4 s on.
    expect(read.chapters.map(({ start_time }) => Number(start_time))).toEqual([0, 0.5, 0.9, 1.9]);
  });

  test('begins chapters where ffmpeg finds pauses, in each kind of file, moved with what is cut', async () => {
    const sounds = [
      [0.8, 4],
      [5, 9],
      [9.6, 13],
      [15, 19],
      [19.3, 22],
    ].map(([from, to]) => `gte(t,${Number(from) - 0.005})*lt(t,${Number(to) - 0.005})`);
    const noise = `anoisesrc=a=0.3:seed=3:r=${rate}:d=24,asetnsamples=441:p=0,volume='if(${sounds.join('+')},1,0.0005)':eval=frame`;
    await make(
      'long.mka',
      ...['-f', 'lavfi', '-i', 'anoisesrc=a=0.3:d=24', '-f', 'lavfi', '-i', noise],
      ...['-map', '0', '-map', '1', '-c:a', 'flac'],
    );
    const outputs: DescribedOutput[] = [
      { format: 'wav', track: 1, chapters: { fromSilence: { minPause: 0.5, minChapter: 3 } } },
      { format: 'mp3_64', track: 1, chapters: { fromSilence: { minPause: 0.5, minChapter: 5, title: 'Teil' } } },
      {
        ...{ format: 'aac_64', track: 1, trim: { start: 2 }, silence: { shortenTo: 0.4 } },
        chapters: { fromSilence: { minPause: 0.5, minChapter: 3 } },
      },
      { format: 'opus_32', track: 1, chapters: { fromSilence: { threshold: -90 } } },
      { format: 'flac', track: 0, chapters: { fromSilence: {} } },
    ];
    const answer = await encode('long.mka', outputs);
    expect(answer.status).toBe(200);
    const starts = await Promise.all(
      outputs.map(async (_, index) => (await probeChapters(outputFile('long.mka', index))).map(({ start }) => start)),
    );
    const detected = await detectPauses(outputFile('long.mka', 0), 0.5);
    const [one = 0, two = 0, three = 0] = detected.map((end) => end - 0.1);
    const expected = [
      [0, one, two, three],
      [0, two, three],
      [0, two - 2 - 0.6 - 0.2, three - 2 - 0.6 - 0.2 - 1.6],
      [],
      [],
    ];
    expect(starts.map((list) => list.length)).toEqual(expected.map((list) => list.length));
    for (const [index, start] of starts.flat().entries()) {
      // Pauses are measured in steps of 10 ms.
      expect(Math.abs(start - (expected.flat()[index] ?? -1))).toBeLessThan(0.02);
    }
    expect((await probeChapters(outputFile('long.mka', 1))).map(({ title }) => title)).toEqual([
      'Teil 1',
      'Teil 2',
      'Teil 3',
    ]);
    expect(answer.body.outputs.map(({ chapters }: { chapters?: number }) => chapters ?? 0)).toEqual([4, 3, 3, 0, 0]);
    expect(answer.body.outputs.map(({ chapterStarts }: { chapterStarts: number[] }) => chapterStarts)).toEqual(starts);
  });

  test('rejects the removal of silence from a source that is silent throughout', async () => {
    await make('silent.wav', ...fromMusic(), '-t', '1', '-af', 'volume=0');
    const answer = await encode('silent.wav', [{ format: 'mp3_128', silence: { trimStart: true } }]);
    expect(answer).toMatchObject({ status: 422, body: { code: 'unsupported_format', details: { format: 'mp3_128' } } });
    expect(answer.body.error).toMatch(/mp3_128 cannot be made: all 1\.000 s of it are silent/);
    await expectNothingUploaded('silent.wav');
  });

  test('removes 600 pauses from a quarter of an hour in the right places', async () => {
    // Each second of tone has its own pitch; half a second of silence follows it.
    const tone = "aevalsrc='if(lt(mod(t,1.5),1),0.3*sin(2*PI*(300+floor(t/1.5))*mod(t,1.5)),0)':s=8000:d=900";
    await make('pauses.flac', '-f', 'lavfi', '-i', tone);
    const answer = await encode('pauses.flac', [{ format: 'flac', silence: { shortenTo: 0.2 } }]);
    expect(answer.status).toBe(200);
    const made = await rawSamplesOf(outputFile('pauses.flac'), 's16le');
    for (const place of [0, 1, 217, 400, 598]) {
      // 0.2 s of each pause remain.
      const from = Math.round(place * 1.2 * 8000);
      let crossings = 0;
      for (let at = from + 80; at < from + 7900; at += 1) {
        if ((made[at] ?? 0) >= 0 && (made[at - 1] ?? 0) < 0) crossings += 1;
      }
      expect(Math.abs(crossings - ((300 + place) * 7820) / 8000)).toBeLessThan(4);
    }
  });
});

describe('speech level', () => {
  /** RMS in dB between these seconds of mono samples. */
  function levelOf(samples: Int16Array, from: number, to: number): number {
    const part = samples.subarray(from * rate, to * rate);
    return 10 * Math.log10(part.reduce((sum, sample) => sum + (sample / 32_768) ** 2, 0) / part.length);
  }

  test('levels speakers, keeps pauses quiet, and changes no length', async () => {
    const gains = "volume='if(lt(t,10),0.7,if(lt(t,20),0.14,0.35))':eval=frame";
    const room = 'anoisesrc=a=0.0005:r=44100:d=30';
    const mix = `[0]aresample=44100,atrim=0:8.5,apad=whole_dur=10,aloop=2:441000,${gains}[s];[s][1]amix=2:normalize=0`;
    await make(
      'talk.wav',
      ...['-i', file('speech.wav'), '-f', 'lavfi', '-i', room, '-filter_complex', mix, '-t', '30'],
    );
    const outputs: DescribedOutput[] = [
      { format: 'wav', channels: 1 },
      { format: 'wav', channels: 1, level: 'speech' },
      { format: 'mp3_64', level: 'speech', loudness: { integrated: -20, truePeak: -2 } },
    ];
    const answer = await encode('talk.wav', outputs);
    expect(answer).toMatchObject({ status: 200, body: { outputs: [{ duration: 30 }, { duration: 30 }, {}] } });
    const [before, after] = await Promise.all(
      [0, 1].map(async (index) => {
        const samples = await rawSamplesOf(outputFile('talk.wav', index), 's16le');
        const speakers = [0, 10, 20].map((from) => levelOf(samples, from + 2, from + 7));
        const pauses = [0, 10, 20].map((from) => levelOf(samples, from + 9, from + 9.5));
        return { spread: Math.max(...speakers) - Math.min(...speakers), pause: Math.max(...pauses) };
      }),
    );
    expect(before?.spread).toBeGreaterThan(13);
    expect(after?.spread).toBeLessThan(4);
    expect((after?.pause ?? 0) - (before?.pause ?? 0)).toBeLessThan(15);
    expect(Math.abs(answer.body.outputs[2].loudness.integrated + 20)).toBeLessThanOrEqual(0.1);
  });

  test.each([0.05, 0.4, 1])('keeps every sample of %d s of levelled speech', async (seconds) => {
    const source = `short-${seconds}.wav`;
    await make(source, ...fromMusic(), '-t', String(seconds));
    await encoded(source, [{ format: 'wav', level: 'speech' }]);
    const made = await rawSamplesOf(outputFile(source), 's16le');
    expect(made.length).toBe((await rawSamplesOf(file(source), 's16le')).length);
  });
});
