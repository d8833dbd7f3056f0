import { expect, test } from 'vitest';
import { completeMaster } from '../../../container/package/bandwidth.ts';
import { findPackageProblems } from '../../../container/package/find-problems.ts';
import { parseMaster, parseMediaPlaylist } from '../../../container/package/media-playlist.ts';
import type { ReadPackage, ReadPart } from '../../../container/package/read-package.ts';

const playlist = `#EXTM3U
#EXT-X-TARGETDURATION:4
#EXT-X-MAP:URI="init.mp4"
#EXTINF:4.000,
1.m4s
#EXTINF:4.000,
2.m4s
#EXT-X-ENDLIST
`;
const keyFrames = `#EXTM3U
#EXT-X-I-FRAMES-ONLY
#EXTINF:4.000,
#EXT-X-BYTERANGE:10@80
1.m4s
#EXTINF:4.000,
#EXT-X-BYTERANGE:10@80
2.m4s
#EXT-X-ENDLIST
`;
const master = `#EXTM3U
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,URI="a/main.m3u8",GROUP-ID="audio",NAME="English",DEFAULT=NO
#EXT-X-STREAM-INF:BANDWIDTH=3000,AVERAGE-BANDWIDTH=2000,CODECS="avc1.64001e,mp4a.40.2",AUDIO="audio"
v90/main.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=3000,AVERAGE-BANDWIDTH=2000,CODECS="avc1.64001e,mp4a.40.2",AUDIO="audio"
v46/main.m3u8
`;
const manifest = ['v90', 'v46', 'a']
  .map((name) => `<Representation id="${name}"><X initialization="${name}/init.mp4"/><S t="0" d="4" r="1"/>`)
  .join('');

/** Two segments of a thousand bytes and four seconds each. */
function partOf(kind: 'audio' | 'video', name: string): ReadPart {
  const isVideo = kind === 'video';
  const [timescale, startTicks] = isVideo ? [100, 8] : [48_000, 1024];
  const durationTicks = 4 * timescale;
  const parsed = parseMediaPlaylist(playlist);
  return {
    ...{ part: { kind, name }, main: `${name}/main.m3u8`, playlist: parsed },
    keyFrames: isVideo ? parseMediaPlaylist(keyFrames) : undefined,
    init: { timescale, startTicks, fragmentDefaults: { duration: 4, flags: 0 } },
    segments: parsed.segments.map((segment, index) => {
      const decodeTicks = index * durationTicks;
      const shownTicks = decodeTicks + (isVideo ? startTicks : 0);
      return {
        ...{ ...segment, bytes: 500 },
        fragments: [{ decodeTicks, shownTicks, durationTicks, samples: 100, startsWithSync: true }],
      };
    }),
  };
}

const whole = (): ReadPackage => ({
  parts: [partOf('video', 'v90'), partOf('video', 'v46'), partOf('audio', 'a')],
  master: parseMaster(master),
  manifest,
});

test('a package with nothing wrong has no problems', () => {
  expect(findPackageProblems(whole())).toEqual([]);
});

/** The first fragment of a segment. */
function fragmentOf(read: ReadPackage, part: number, segment: number) {
  const fragment = read.parts[part]?.segments[segment]?.fragments[0];
  if (fragment === undefined) throw new Error('No such fragment');
  return fragment;
}

test.each<[string, (read: ReadPackage) => void, string]>([
  [
    'a playlist that does not end',
    (read) => (read.parts[0]!.playlist.isEnded = false),
    'v90: its playlist does not end',
  ],
  [
    'a segment beyond the target duration',
    (read) => (read.parts[0]!.playlist.targetSeconds = 3),
    'v90: segment 1 is longer than the target duration of 3 s',
  ],
  [
    'a segment without a key frame',
    (read) => (fragmentOf(read, 1, 1).startsWithSync = false),
    'v46: segment 2 does not begin with a key frame',
  ],
  [
    'a size whose segments begin elsewhere',
    (read) => (fragmentOf(read, 1, 1).shownTicks += 4),
    'v46: from segment 2 on it does not begin with v90',
  ],
  ['sound without its priming', (read) => (read.parts[2]!.init.startTicks = 0), 'a: it begins 21.3 ms late'],
  [
    'pictures that begin late',
    (read) => {
      for (const part of [0, 1]) read.parts[part]!.init.startTicks = 0;
    },
    'v90: it begins 80.0 ms late',
  ],
  [
    'a gap between two segments',
    (read) => (fragmentOf(read, 2, 1).decodeTicks += 1024),
    'a: segment 2 does not follow on the one before',
  ],
  [
    'a segment that is shorter than its playlist says',
    (read) => (fragmentOf(read, 0, 1).durationTicks -= 50),
    'v90: segment 2 lasts 3.500 s, and its playlist says 4',
  ],
  [
    'key frames that are missing in their playlist',
    (read) => read.parts[0]!.keyFrames!.segments.pop(),
    'v90: its playlist of key frames has 1, and its segments 2',
  ],
  [
    'a segment with more bits than are promised',
    (read) => (read.parts[1]!.segments[0]!.bytes = 2000),
    'v46/main.m3u8: it takes up to 5 kbit/s, and says 3',
  ],
  [
    'a size that the master playlist leaves out',
    (read) => read.master.variants.pop(),
    'v46: the master playlist does not offer it',
  ],
  [
    'a manifest of other segments',
    (read) => (read.manifest = manifest.replace('r="1"', 'r="2"')),
    'v90: the manifest has 3 segments, and its playlist 2',
  ],
  [
    'a manifest without the sound',
    (read) => (read.manifest = manifest.replace('a/init', 'b/init')),
    'a: the manifest does not offer it',
  ],
])('%s is found', (_what, damage, problem) => {
  const read = whole();
  damage(read);
  expect(findPackageProblems(read)).toContain(problem);
});

test('the master playlist promises the peak of pictures and sound, and plays the sound that was asked for first', () => {
  const german = 'TYPE=AUDIO,URI="a-2/main.m3u8",GROUP-ID="audio",NAME="Deutsch",DEFAULT=YES';
  const sorted = master.replace('#EXT-X-MEDIA', `#EXT-X-MEDIA:${german}\n#EXT-X-MEDIA`);
  const read = { ...whole(), master: parseMaster(sorted) };
  read.parts.push(partOf('audio', 'a-2'));
  read.parts[3]!.segments[1]!.bytes = 3000;
  const complete = completeMaster(sorted, read);
  const { variants, sounds } = parseMaster(complete);
  expect(variants.map(({ bandwidth }) => bandwidth)).toEqual([7000, 7000]);
  expect(sounds.map(({ line }) => /NAME="(\w+)",DEFAULT=(\w+)/.exec(line)?.slice(1))).toEqual([
    ['Deutsch', 'NO'],
    ['English', 'YES'],
  ]);
});
