import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { completeManifest, peakOf } from '../../../../engine/products/package/bandwidth.ts';
import { readFragments } from '../../../../engine/products/package/fragment.ts';
import { isCutShort, parseManifest } from '../../../../engine/products/package/manifest.ts';
import { parseMaster, parseMediaPlaylist } from '../../../../engine/products/package/media-playlist.ts';
import { readLocal } from '../../../../engine/products/package/read-local.ts';
import { buildBox } from '../../../../engine/formats/isobmff/box.ts';
import { testFolder } from '../../../support/folder.ts';

const manifestOf = (timeline: string, timescale = 1000, duration = 'PT4S'): string =>
  `<MPD type="static" mediaPresentationDuration="${duration}" minBufferTime="PT2S"><Period><AdaptationSet mimeType="video/mp4">
  <Representation id="0" bandwidth="9" codecs="avc1.64000a" width="64" height="36">
  <SegmentTemplate timescale="${timescale}" initialization="i.mp4" media="$Number$.m4s"><SegmentTimeline>${timeline}</SegmentTimeline>
  </SegmentTemplate></Representation></AdaptationSet></Period></MPD>`;
const base = 'http://media.test/manifest.mpd';

test.each([
  ['<S t="0" d="1000" r="2000000000"/>', 'more than 1000000 segments'],
  ['<S t="0" d="1000" r="999999"/><S d="1000" r="5"/>', 'more than 1000000 segments'],
  ['<S t="0" d="0" r="-1"/>', 'segments without a duration'],
  ['<S t="0" d="0.5" r="-1"/>', 'segments without a duration'],
])('a manifest that expands beyond memory by its lines is rejected: %s', (timeline, why) => {
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
])('a manifest that expands beyond memory by %s is rejected at once', (_what, text) => {
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

test('the peak of a manifest of many segments is found', () => {
  const [representation] = parseManifest(manifestOf('<S t="0" d="1000" r="149999"/>'), base).representations;
  const playlist = representation!.listing;
  const segments = playlist.segments.map((segment) => ({ ...segment, bytes: 125, fragments: [] }));
  expect(peakOf({ playlist, segments })).toBe(1000);
});

test('the peak of many segments within one target duration is found in time', () => {
  const playlist = parseMediaPlaylist('#EXTM3U\n#EXT-X-TARGETDURATION:1000000\n#EXTINF:10,\na.m4s\n', base);
  const segment = playlist.segments[0]!;
  const segments = Array.from({ length: 150_000 }, (_, index) => ({
    ...segment,
    bytes: index % 100_000,
    fragments: [],
  }));
  const startMs = performance.now();
  // The shortest row that counts: the segments of 50,000 to 99,999 bytes.
  expect(peakOf({ playlist, segments })).toBeCloseTo(59_999.6, 6);
  expect(performance.now() - startMs).toBeLessThan(10_000);
});

test('a fragment that is divided into many runs is read', () => {
  const [tfhd, tfdt, trun] = [Buffer.alloc(8), Buffer.alloc(8), Buffer.alloc(8)];
  tfhd.writeUInt32BE(1, 4);
  trun.writeUInt32BE(1, 4);
  const runs = Array<Buffer>(150_000).fill(buildBox('trun', trun));
  const traf = Buffer.concat([buildBox('tfhd', tfhd), buildBox('tfdt', tfdt), ...runs]);
  const track = { id: 1, fragmentDefaults: { duration: 512, flags: 0 } };
  expect(readFragments(buildBox('moof', buildBox('traf', traf)), [track as never])).toMatchObject([
    { samples: 150_000, shortestTicks: 512 },
  ]);
});

test('invalid lengths, and lengths of no segment, are 0', () => {
  const lengths = ['1e308', 'NaN', '-5', 'Infinity', '1e-320', '2.5'];
  const text = `#EXTM3U\n${lengths.map((length, index) => `#EXTINF:${length},\n${index}.m4s`).join('\n')}`;
  expect(parseMediaPlaylist(text, base).segments.map(({ seconds }) => seconds)).toEqual([0, 0, 0, 0, 0, 2.5]);
  const [representation] = parseManifest(manifestOf('<S t="0" d="1000" r="1"/>', 0), base).representations;
  expect(representation?.listing.segments.map(({ seconds }) => seconds)).toEqual([0, 0]);
});

test('reads a manifest without representations', () => {
  expect(parseManifest('<MPD><Period/></MPD>', base)).toMatchObject({ representations: [], seconds: 0 });
});

test('reads a minimum buffer time that has zero days', () => {
  const text = manifestOf('<S t="0" d="1000" r="3"/>').replace('"PT2S"', '"P0Y0M0DT0H1M3.300S"');
  expect(parseManifest(text, base).minBufferSeconds).toBe(63.3);
});

test.each([
  ['is binary', '\0\u0001\u0002'],
  ['has a segment without tags', '#EXTM3U\n0.ts'],
  ['has a tag without its value', '#EXTM3U\n#EXTINF\n0.ts'],
  ['has an initialization vector without its value', '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,IV\n#EXTINF:2,\n0.ts'],
])('a playlist that %s is reported as no playlist', (_what, text) => {
  expect(() => parseMediaPlaylist(text, base)).toThrow('is not an HLS playlist');
});

test('a media playlist keeps lengths and URIs beside titles and apostrophes', () => {
  const tags = `#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI="l'init.mp4",BYTERANGE="9@3"\n#EXTINF:2,L’été, à l'aube €\nl'été.m4s`;
  const playlist = parseMediaPlaylist(`#EXTM3U\r\n${tags.replaceAll('\n', '\r\n')}`, base);
  expect(playlist).toMatchObject({
    init: { uri: "http://media.test/l'init.mp4", range: { offset: 3, length: 9 } },
    segments: [{ uri: "http://media.test/l'%C3%A9t%C3%A9.m4s", seconds: 2 }],
  });
});

test('a byte range without an offset follows the one before in the same file', () => {
  const ranges = ['5@10\na', '6\na', '7\nb', 'x\nb', '1e999\nb'];
  const text = `#EXTM3U\n${ranges.map((range) => `#EXTINF:2,\n#EXT-X-BYTERANGE:${range}`).join('\n')}`;
  expect(parseMediaPlaylist(text, base).segments.map(({ range }) => range)).toEqual([
    { offset: 10, length: 5 },
    { offset: 15, length: 6 },
    { offset: 0, length: 7 },
    undefined,
    undefined,
  ]);
});

test('ranges after a first one without an offset follow it without an overlap', () => {
  const ranges = ['1000\na', '500\na', '500\na', '10@3000\na'];
  const text = `#EXTM3U\n${ranges.map((range) => `#EXTINF:2,\n#EXT-X-BYTERANGE:${range}`).join('\n')}`;
  const offsets = parseMediaPlaylist(text, base).segments.map(({ range }) => range?.offset);
  expect(offsets).toEqual([0, 1000, 1500, 3000]);
});

test('a playlist of many blank lines is read in time', () => {
  const text = `#EXTM3U\n${'\n'.repeat(200_000)}#EXTINF:2,\na`;
  expect(parseMediaPlaylist(text, base).segments).toHaveLength(1);
});

test('a media playlist reports the encryption of a later segment, and its discontinuity', () => {
  const later = '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://key",KEYFORMAT="com.apple.streamingkeydelivery"';
  const segments = `#EXT-X-KEY:METHOD=NONE\n#EXTINF:2,\n0.m4s\n${later}\n#EXTINF:2,\n1.m4s`;
  expect(parseMediaPlaylist(`#EXTM3U\n${segments}`, base)).toMatchObject({
    encryption: 'SAMPLE-AES',
    isInterrupted: false,
  });
  const broken = parseMediaPlaylist('#EXTM3U\n#EXTINF:2,\n0.m4s\n#EXT-X-DISCONTINUITY\n#EXTINF:2,\n1.m4s', base);
  expect(broken.isInterrupted).toBe(true);
  const maps = [0, 1].map((part) => `#EXT-X-MAP:URI="i${part}.mp4"\n#EXTINF:2,\n${part}.m4s`);
  expect(parseMediaPlaylist(`#EXTM3U\n${maps.join('\n')}`, base).isInterrupted).toBe(true);
});

test('a master playlist offers sound that no variant names, and whose names are hostile', () => {
  const sound = (group: string, name: string): string =>
    `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="${group}",NAME="${name}",URI="${group}.m3u8"`;
  const tags = [
    sound('a', "Director's cut"),
    sound('__proto__', 'polluted'),
    '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="S",URI="s.m3u8"',
    '#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=1,URI="t.m3u8"',
    '#EXT-X-STREAM-INF:BANDWIDTH=5,CODECS="avc1.64000a,mp4a.40.2",AUDIO="a"\nv.m3u8',
    '#EXT-X-STREAM-INF:BANDWIDTH=6',
  ];
  const master = parseMaster(`#EXTM3U\n${tags.join('\n')}`, base);
  expect(master.variants).toMatchObject([
    { uri: 'http://media.test/v.m3u8', bandwidth: 5, audioGroup: 'a' },
    { uri: base, bandwidth: 6, audioGroup: undefined },
  ]);
  expect(master.sounds).toEqual([
    { uri: 'http://media.test/a.m3u8', group: 'a' },
    { uri: 'http://media.test/__proto__.m3u8', group: '__proto__' },
  ]);
  expect(master.others).toEqual(['SUBTITLES', 'IMAGES']);
  expect('polluted' in {}).toBe(false);
});

test('a master playlist whose sound names no group is read', () => {
  const text = '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,NAME="x",URI="a.m3u8"\n#EXT-X-STREAM-INF:BANDWIDTH=5\nv.m3u8';
  expect(parseMaster(text, base).variants).toHaveLength(1);
});

test('a manifest is as long as its longest choice, even if players would drop its end', () => {
  const short = parseManifest(manifestOf('<S t="0" d="1000" r="5"/>'), base);
  expect(short.representations.map((one) => isCutShort(one, short))).toEqual([true]);
  const completed = completeManifest(short, { parts: [] });
  expect(completed.seconds).toBe(6);
  expect(completed.text).toContain('mediaPresentationDuration="PT6S"');
  expect(completed.representations.map((one) => isCutShort(one, completed))).toEqual([false]);
  // Nobody misses the last frame of the sound.
  const whole = parseManifest(manifestOf('<S t="0" d="1000" r="3"/><S d="40"/>'), base);
  expect(completeManifest(whole, { parts: [] }).text).toContain('mediaPresentationDuration="PT4S"');
});

test('does not wait for a pipe or a device that a playlist names', async () => {
  const folder = testFolder();
  const path = join(folder, 'pipe');
  // Opening it waits forever, because nothing writes to it.
  await promisify(execFile)('mkfifo', [path]);
  const read = (uri: string): Promise<Buffer> => readLocal({ uri, range: undefined });
  await expect(read(pathToFileURL(path).href)).rejects.toThrow('is no file');
  await expect(read('file:///dev/zero')).rejects.toThrow('is no file');
  await expect(read(`${pathToFileURL(path).href}%00`)).rejects.toThrow('has a name that no file can have');
  await expect(read(pathToFileURL(folder).href)).rejects.toThrow('is a folder');
});
