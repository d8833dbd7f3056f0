import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { completeManifest } from '../../../../engine/products/package/bandwidth.ts';
import { isCutShort, parseManifest } from '../../../../engine/products/package/manifest.ts';
import { parseMediaPlaylist } from '../../../../engine/products/package/media-playlist.ts';
import { readLocal } from '../../../../engine/products/package/read-local.ts';

const manifestOf = (timeline: string, timescale = 1000, duration = 'PT4S'): string =>
  `<MPD type="static" mediaPresentationDuration="${duration}" minBufferTime="PT2S"><Period><AdaptationSet mimeType="video/mp4">
  <Representation id="0" bandwidth="9" codecs="avc1.64000a" width="64" height="36">
  <SegmentTemplate timescale="${timescale}" initialization="i.mp4" media="$Number$.m4s"><SegmentTimeline>${timeline}</SegmentTimeline>
  </SegmentTemplate></Representation></AdaptationSet></Period></MPD>`;
const base = 'http://media.test/manifest.mpd';

test.each([
  ['<S t="0" d="1000" r="2000000000"/>', 'more than 1000000 segments'],
  ['<S t="0" d="1000" r="999999"/><S d="1000" r="5"/>', 'more than 1000000 segments'],
  ['<S t="0" d="0" r="-1"/>', 'segments that last no time'],
])('a manifest whose lines stand for more than fits into memory is refused: %s', (timeline, why) => {
  expect(() => parseManifest(manifestOf(timeline), base)).toThrow(why);
});

const templateOf = (
  attributes: string,
  inPeriod = '',
  ofMpd = 'type="static" mediaPresentationDuration="PT4S"',
): string =>
  `<MPD ${ofMpd} minBufferTime="PT2S"><!-- <Period duration="PT1S"> --><Period ${inPeriod}>
  <AdaptationSet mimeType="video/mp4"><SegmentTemplate initialization="i>.mp4" media="$Number$.m4s" ${attributes}/>
  <Representation id="0" bandwidth="9" codecs="avc1.64000a" width="64" height="36"/></AdaptationSet></Period></MPD>`;

test.each([
  ['a length of years', templateOf('duration="2"', '', 'type="static" mediaPresentationDuration="P3000Y"')],
  ['a period of years', templateOf('timescale="1000" duration="2000"', 'duration="P3000Y"')],
  ['segments of no length', templateOf('duration="0"')],
  ['very short segments', templateOf('timescale="90000000" duration="1"')],
  ['a last number', templateOf('duration="2" endNumber="4000000000"')],
  [
    'a live stream since 1970',
    templateOf('duration="1"', '', 'type="dynamic" availabilityStartTime="1970-01-01T00:00:00Z"'),
  ],
  ['a line that is repeated to an end that is far', manifestOf('<S t="0" d="1000" r="-1"/>', 1000, 'PT99999999999S')],
  ['a number that is written as another', manifestOf('<S t="0" d="1000" r="&#57;99999999"/>')],
])('a manifest that stands for more than fits into memory by %s is refused at once', (_what, text) => {
  expect(() => parseManifest(text, base)).toThrow('more than 1000000 segments');
});

test.each([
  [
    'template',
    templateOf('timescale="1000" duration="2000"', '', 'type="static" mediaPresentationDuration="PT1H"'),
    1800,
  ],
  ['last number', templateOf('duration="2" endNumber="3"'), 3],
  ['line that is repeated to the end', manifestOf('<S t="0" d="1000" r="-1"/>'), 4],
  [
    'live window',
    templateOf(
      'duration="2"',
      '',
      'type="dynamic" availabilityStartTime="1970-01-01T00:00:00Z" timeShiftBufferDepth="PT1M"',
    ),
    30,
  ],
])('a manifest of an ordinary %s is read', (_what, text, count) => {
  const [representation] = parseManifest(text, base).representations;
  expect(representation?.listing.segments).toHaveLength(count);
});

test('lengths that are none, or that no segment has, are 0', () => {
  const lengths = ['1e308', 'NaN', '-5', 'Infinity', '1e-320', '2.5'];
  const text = `#EXTM3U\n${lengths.map((length, index) => `#EXTINF:${length},\n${index}.m4s`).join('\n')}`;
  expect(parseMediaPlaylist(text, base).segments.map(({ seconds }) => seconds)).toEqual([0, 0, 0, 0, 0, 2.5]);
  const [representation] = parseManifest(manifestOf('<S t="0" d="1000" r="1"/>', 0), base).representations;
  expect(representation?.listing.segments.map(({ seconds }) => seconds)).toEqual([0, 0]);
});

test('a manifest is as long as its longest choice, where players would leave out its end', () => {
  const short = parseManifest(manifestOf('<S t="0" d="1000" r="5"/>'), base);
  expect(short.representations.map((one) => isCutShort(one, short))).toEqual([true]);
  const completed = completeManifest(short, { parts: [] });
  expect(completed.seconds).toBe(6);
  expect(completed.text).toContain('mediaPresentationDuration="PT6S"');
  expect(completed.representations.map((one) => isCutShort(one, completed))).toEqual([false]);
  // The last frame of the sound alone is nothing that anybody misses.
  const whole = parseManifest(manifestOf('<S t="0" d="1000" r="3"/><S d="40"/>'), base);
  expect(completeManifest(whole, { parts: [] }).text).toContain('mediaPresentationDuration="PT4S"');
});

test('what a playlist names that is no file is not waited for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'no-file-'));
  try {
    const path = join(folder, 'pipe');
    // Nobody ever writes into it, and who opens it waits.
    await promisify(execFile)('mkfifo', [path]);
    const read = (uri: string): Promise<Buffer> => readLocal({ uri, range: undefined });
    await expect(read(pathToFileURL(path).href)).rejects.toThrow('is no file');
    await expect(read('file:///dev/zero')).rejects.toThrow('is no file');
    await expect(read(`${pathToFileURL(path).href}%00`)).rejects.toThrow('has a name that no file can have');
    await expect(read(pathToFileURL(folder).href)).rejects.toThrow('is a folder');
  } finally {
    await rm(folder, { recursive: true });
  }
});
