import { expect, test } from 'vitest';
import type { EncodeLimits } from '../../../engine/ffmpeg/limits.ts';
import type { EncodeTarget } from '../../../engine/plan/encoded-file.ts';
import type { Source } from '../../../engine/source/source.ts';
import { encodeSoundSegment } from '../../../engine/spread/encode-sound.ts';
import type { Work } from '../../../engine/work.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

const hours = 3600;
const sampleRate = 48_000;
const sourceTime = { formatName: 'mov,mp4,m4a,3gp,3g2,mj2', leadSeconds: 0 };

/** A source whose decoded samples take 200 GB, although one sample was counted. */
function hugeSource(): Source {
  const facts = { codec: 'aac', sampleFormat: 'fltp', channels: 2, channelLayout: 'stereo', ...sourceTime };
  const length = { countedSamples: 1, declaredSeconds: undefined, estimatedSeconds: 150 * hours };
  return { tracks: [{ path: '', track: 0, sampleRate, ...facts, ...length }] } as unknown as Source;
}

function mp3(): EncodeTarget {
  const audio = { codec: 'mp3', bitrate: 128, channels: 2, sampleRate, track: 0, evensSpeech: false, sourceTime };
  return { path: '', plan: { container: 'mp3', audio } } as unknown as EncodeTarget;
}

test('a segment whose raw samples do not fit on the disk is a mismatch, after which one container encodes', async () => {
  const { signal } = new AbortController();
  const work = { folder, signal, advance: () => undefined } as unknown as Work;
  const limits = { encodeParallelism: 1 } as EncodeLimits;
  const range = { from: hours * 1000, to: 2 * hours * 1000 };
  await expect(encodeSoundSegment(hugeSource(), [mp3()], range, limits, work)).rejects.toMatchObject({
    code: 'segment_mismatch',
    message: expect.stringMatching(
      /^A segment of the sound cannot be encoded: The decoded source takes more than .*\.$/,
    ),
    cause: { code: 'disk_full' },
  });
});
