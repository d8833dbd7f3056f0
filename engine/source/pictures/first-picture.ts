import { z } from 'zod';
import { definedFields } from '../../../contract/defined-fields.ts';
import { brightnessOf } from '../../ffmpeg/brightness.ts';
import { runProbe } from '../../ffmpeg/probe.ts';
import { ProbedSideData } from '../../ffmpeg/probed.ts';
import { type Mastering, parseMastering } from './mastering.ts';
import type { FieldOrder } from './scan/judge-scan.ts';

const SideData = z.array(z.unknown()).default([]);
const Flag = z.literal([0, 1]).optional();
const FirstPicture = z.object({
  frames: z
    .array(
      z.object({
        side_data_list: SideData,
        color_transfer: z.string().optional(),
        interlaced_frame: Flag,
        top_field_first: Flag,
      }),
    )
    .default([]),
  streams: z.array(z.object({ side_data_list: SideData })).default([]),
});

/** Facts that H.264, HEVC and AV1 state in the stream, and that many containers do not repeat. */
interface FirstPictureFacts {
  mastering?: Mastering;
  /** cd/m². */
  brightness?: number;
  /** The picture itself states that players turn or mirror it. */
  isTurned?: true;
  /** The picture is in HLG. Broadcasts may state HLG in SEI message 147 only, and BT.2020 in the header. */
  isHlg?: true;
  /** Present if the picture states that it is interlaced. */
  statedOrder?: FieldOrder;
  /** The picture contains closed captions (CEA-608 or CEA-708). Broadcasts have them in every picture, if only empty. */
  hasCaptions?: true;
}

const Captions = z.object({ side_data_type: z.literal('ATSC A53 Part 4 Closed Captions') });

/** Parses ffprobe's `-show_streams -show_frames` of a first picture. */
export function parseFirstPicture(json: string): FirstPictureFacts {
  const said = FirstPicture.parse(JSON.parse(json));
  const [{ interlaced_frame: isOfFields, top_field_first: isUpperFirst } = {}] = said.frames;
  const ofPicture = said.frames.flatMap(({ side_data_list: list }) => list);
  const data = [...ofPicture, ...said.streams.flatMap(({ side_data_list: list }) => list)];
  const known = (list: readonly unknown[]): ProbedSideData[] =>
    list.flatMap((one) => ProbedSideData.safeParse(one).data ?? []);
  return definedFields({
    mastering: parseMastering(data),
    brightness: brightnessOf(known(data)),
    isTurned: known(ofPicture).some(({ rotation }) => rotation !== undefined) || undefined,
    isHlg: said.frames[0]?.color_transfer === 'arib-std-b67' || undefined,
    statedOrder: isOfFields === 1 ? (isUpperFirst === 1 ? 'upper first' : 'lower first') : undefined,
    hasCaptions: ofPicture.some((one) => Captions.safeParse(one).success) || undefined,
  });
}

/** Decodes the first picture. Missing facts stay unknown; the encode reports a picture that cannot be decoded. */
export async function readFirstPicture(
  path: string,
  streamIndex: number,
  signal: AbortSignal,
): Promise<FirstPictureFacts> {
  const what = ['-select_streams', String(streamIndex), '-show_streams', '-show_frames', '-read_intervals', '%+#1'];
  const { stdout, failure } = await runProbe([...what, '-v', 'error', '-of', 'json'], path, signal, 2 ** 20);
  return failure === undefined ? parseFirstPicture(stdout) : {};
}
