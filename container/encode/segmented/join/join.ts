import type { AudioCodec } from '../../../../contract/formats.ts';
import { joinAac } from './aac.ts';
import { joinMp3 } from './mp3.ts';
import { CannotJoin } from './cannot-join.ts';
import { joinOpus } from './opus.ts';
import type { SegmentFile, Joined } from './joined.ts';

export async function stitch(codec: AudioCodec, segments: readonly SegmentFile[], outputPath: string): Promise<Joined> {
  switch (codec) {
    case 'mp3':
      return await joinMp3(segments, outputPath);
    case 'opus':
      return await joinOpus(segments, outputPath);
    case 'aac':
      return await joinAac(segments, outputPath);
    case 'flac':
    case 'wav':
      throw new CannotJoin(`${codec} is not split`);
  }
}
