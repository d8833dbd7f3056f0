import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { timeStampFilter } from '../../../engine/ffmpeg/gap-filter.ts';

const rate = 48_000;
const frame = 1024;
const source = `anoisesrc=r=${rate}:d=2:seed=7:amplitude=0.5,aformat=sample_fmts=s16,asetnsamples=n=${frame}:p=0`;

/** Samples of two seconds of noise in frames of 1024 after these filters. */
function samplesAfter(...filters: readonly string[]): Int16Array {
  const graph = ['anull', ...filters].join(',');
  const args = ['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', source, '-af', graph, '-f', 's16le', '-'];
  return new Int16Array(new Uint8Array(execFileSync('ffmpeg', args)).buffer);
}

const noise = samplesAfter();
/** The last frame is shorter. */
const lastFrame = noise.length % frame;
const restamped = (expression: string): Int16Array =>
  samplesAfter(`asetpts='${expression}'`, timeStampFilter({ sampleRate: rate }));

const bytesOf = (samples: Int16Array): Buffer => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

describe('the filter for gaps in timestamps', () => {
  it('replaces each lost packet by exactly its length of silence', () => {
    const wanted = noise.slice();
    for (let from = 9 * frame; from < wanted.length; from += 10 * frame) wanted.fill(0, from, from + frame);
    const lossy = samplesAfter(`aselect='not(eq(mod(n\\,10)\\,9))'`, timeStampFilter({ sampleRate: rate }));
    expect(Buffer.from(lossy.buffer).equals(Buffer.from(wanted.buffer))).toBe(true);
  });

  it('fills a gap of 58.7 ms and of 0.5 s, and one of 2 ms before the second frame after it', () => {
    for (const [gap, after] of [
      [96, 2 * frame],
      [2816, frame],
      [24_000, frame],
    ] as const) {
      const filled = restamped(`PTS+if(gte(N,${frame}),${gap},0)`);
      const silence = new Int16Array(gap);
      const wanted = Int16Array.from([...noise.subarray(0, after), ...silence, ...noise.subarray(after)]);
      expect(Buffer.from(filled.buffer).equals(Buffer.from(wanted.buffer))).toBe(true);
    }
  });

  it('drops what comes too early, so that all that follows is at its time', () => {
    const early = restamped(`PTS-if(gte(N,${10 * frame}),480,0)`);
    const wanted = Int16Array.from([...noise.subarray(0, 11 * frame), ...noise.subarray(11 * frame + 480)]);
    expect(Buffer.from(early.buffer).equals(Buffer.from(wanted.buffer))).toBe(true);
  });

  it('changes no sample if timestamps are rounded to milliseconds', () => {
    for (const rounded of ['round(PTS/48)*48', 'floor(PTS/48)*48', 'ceil(PTS/48)*48']) {
      expect(Buffer.from(restamped(rounded).buffer).equals(Buffer.from(noise.buffer))).toBe(true);
    }
  });

  it('changes one packet at most if timestamps jump back and forth by less than half a packet', () => {
    const jittering = restamped(`PTS+if(mod(N/${frame},3),0,240)*gte(N,${10 * frame})`);
    const settled = 20 * frame;
    expect(jittering.length).toBe(noise.length);
    expect(Buffer.from(jittering.buffer, settled * 2).equals(Buffer.from(noise.buffer, settled * 2))).toBe(true);
  });

  it('settles within a second if timestamps jitter by more than a packet, and changes no sample from then on', () => {
    for (const samples of [576, 1440]) {
      const jittering = restamped(`PTS+(random(0)-0.5)*2*${samples}`);
      const tail = noise.subarray(-rate / 2);
      expect(bytesOf(jittering.subarray(-tail.length)).equals(bytesOf(tail))).toBe(true);
      expect(Math.abs(jittering.length - noise.length)).toBeLessThanOrEqual(2 * samples);
    }
  });

  it('changes no sample but the first ones if several packets share one timestamp', () => {
    const blocks = restamped(`floor(PTS/${8 * frame})*${8 * frame}`);
    const tail = noise.subarray(-rate);
    expect(bytesOf(blocks.subarray(-tail.length)).equals(bytesOf(tail))).toBe(true);
  });

  it('still fills a lost packet after timestamps have jumped back and forth', () => {
    const jitter = `asetpts='PTS+if(mod(N/${frame},3),0,240)'`;
    const lossy = samplesAfter(jitter, `aselect='not(eq(n\\,60))'`, timeStampFilter({ sampleRate: rate }));
    expect(Math.abs(lossy.length - noise.length)).toBeLessThanOrEqual(360);
  });

  it('changes no sample if one timestamp is wrong where the length of packets changes', () => {
    const wrong = `asetpts='PTS+if(eq(NB_SAMPLES,${lastFrame}),448,0)'`;
    const steady = samplesAfter(wrong, timeStampFilter({ sampleRate: rate }));
    expect(Buffer.from(steady.buffer).equals(Buffer.from(noise.buffer))).toBe(true);
  });

  it('changes no sample if one timestamp among equal packets is wrong by less than half a packet', () => {
    const steady = restamped(`PTS+if(eq(N,${20 * frame}),448,0)`);
    expect(Buffer.from(steady.buffer).equals(Buffer.from(noise.buffer))).toBe(true);
  });

  it('changes no sample of a program stream if one timestamp is wrong by a packet', () => {
    const wrong = `asetpts='PTS+if(eq(N,${20 * frame}),${frame},0)'`;
    const steady = samplesAfter(wrong, timeStampFilter({ formatName: 'mpeg', sampleRate: rate }));
    expect(Buffer.from(steady.buffer).equals(Buffer.from(noise.buffer))).toBe(true);
  });

  it('fills a gap of a program stream before the second packet after it', () => {
    const lossy = samplesAfter(`aselect='not(eq(n\\,20))'`, timeStampFilter({ formatName: 'mpeg', sampleRate: rate }));
    const after = 22 * frame;
    expect(Buffer.from(lossy.buffer, after * 2).equals(Buffer.from(noise.buffer, after * 2))).toBe(true);
  });

  it('changes no sample of Vorbis whose first timestamps are late by a quarter of a block, as those of mkvmerge', () => {
    const late = `asetpts='PTS+if(lt(N,${8 * frame}),128,0)'`;
    const vorbis = { formatName: 'matroska,webm', codec: 'vorbis', sampleRate: rate };
    const steady = samplesAfter(late, timeStampFilter(vorbis));
    expect(bytesOf(steady).equals(bytesOf(noise))).toBe(true);
  });
});
