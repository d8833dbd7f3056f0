import type { Codec } from '../ffmpeg/format.ts';
import { stitchAac } from './aac/stitch.ts';
import { stitchMp3 } from './mp3/stitch.ts';
import { NotStitchable } from './not-stitchable.ts';
import { stitchOpus } from './opus/stitch.ts';
import type { SegmentFile, Stitched } from './stitched.ts';

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
