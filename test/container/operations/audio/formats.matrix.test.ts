import { describe, test } from 'vitest';
import { audioCodecFacts } from '../../../../contract/audio-codecs.ts';
import { containers, type ContainerName } from '../../../../contract/formats.ts';
import { type FormatCase, testFormats, useFormatCases } from './format-cases.ts';

// Every format with one and six channels and of a moment, and every codec of each container.

const cases = await useFormatCases();
const { expectPlain } = cases;

testFormats(cases, 1, 'music');
testFormats(cases, 6, 'music');
// A moment is shorter than some frames.
testFormats(cases, 2, 'moment');

const lossyCase = { bitrate: 128, channels: 2, sampleRate: 48_000 };
const losslessCase = { channels: 2, sampleRate: 48_000 };

describe('containers of the table', () => {
  // Containers of pictures hold sound only beside pictures.
  test.each((Object.keys(containers) as ContainerName[]).filter((name) => !('needsVideo' in containers[name])))(
    'puts each codec of %s into it with exactly the samples of plain ffmpeg',
    async (name) => {
      const all = containers[name].audioCodecs.map((codec): FormatCase => {
        const shape = audioCodecFacts(codec).bitrates === undefined ? losslessCase : lossyCase;
        return { request: { container: name, audio: { codec, ...shape } }, container: name, codec, ...shape };
      });
      // A request has at most 8 outputs.
      for (let at = 0; at < all.length; at += 8) await expectPlain('music-2.wav', all.slice(at, at + 8));
    },
  );
});
