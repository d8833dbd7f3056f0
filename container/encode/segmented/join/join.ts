import type { Codec } from '../../output-plan.ts';
import { stitchAac } from './aac.ts';
import { stitchMp3 } from './mp3.ts';
import { NotStitchable } from './cannot-join.ts';
import { stitchOpus } from './opus.ts';
import type { SegmentFile, Stitched } from './joined.ts';

export async function stitch(codec: Codec, segments: readonly SegmentFile[], outputPath: string): Promise<Stitched> {
  switch (codec) {
    case 'mp3':
      return await stitchMp3(segments, outputPath);
    case 'opus':
      return await stitchOpus(segments, outputPath);
    case 'aac':
      return await stitchAac(segments, outputPath);
    case 'flac':
    case 'wav':
      throw new NotStitchable(`${codec} is not split`);
  }
}
