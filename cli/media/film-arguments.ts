import { Option, type Command } from 'commander';
import { containers, containerFacts, type ContainerName } from '../../contract/formats.ts';
import type { DescribedOutput } from '../../contract/http/output.ts';
import { type Crop, VideoOptions } from '../../contract/http/video.ts';
import type { Presets } from '../../contract/presets.ts';
import { videoCodecs } from '../../contract/video-codecs.ts';
import { CliError } from '../cli-error.ts';
import { flagOf } from './flag-of.ts';
import { parseNumberAs, parseWholeAs } from '../option-values.ts';
import { parseCrop, parsePad, parseRotation, parseVideoLevel } from '../picture-values.ts';

export interface FilmArguments {
  container?: string;
  /** A codec or `none`. */
  video?: string;
  audio?: string;
  crf?: number;
  bitrate?: number;
  maxBitrate?: number;
  /** Pixels; images use the same options. */
  width?: number;
  height?: number;
  fit?: string;
  fps?: number;
  speed?: string;
  keyframeInterval?: number;
  /** H.264 or HEVC level, such as `4.1`. `--level` is for speech. */
  videoLevel?: string;
  pixelFormat?: string;
  crop?: Crop;
  pad?: string;
  /** Degrees clockwise. */
  rotate?: number;
  deinterlace?: string;
  denoise?: string;
  sharpen?: string;
  hdr?: string;
  copy?: true;
}

const fields = VideoOptions.shape;
// prettier-ignore
const filmOptions = [
  'crf', 'bitrate', 'maxBitrate', 'width', 'height', 'fit', 'fps', 'speed', 'keyframeInterval',
  'videoLevel', 'pixelFormat', 'crop', 'pad', 'rotate', 'deinterlace', 'denoise', 'sharpen', 'hdr', 'copy',
] as const;

/** Maps option values to the values of the contract. */
const deinterlaceChoices = { auto: 'auto', always: true, never: false } as const;

const withPictures = (Object.keys(containers) as ContainerName[]).filter(
  (name) => containerFacts(name).videoCodecs !== undefined,
);

export function withFilmOptions(command: Command): Command {
  return command
    .optionsGroup('Film:')
    .option(
      '--container <name>',
      `container of an output: video in ${withPictures.join(', ')}; audio in an audio container`,
    )
    .option('--video <codec>', `video codec: ${Object.keys(videoCodecs).join(', ')}, or none`)
    .option('--audio <codec>', 'audio codec of outputs by --container or --preset, such as aac, or none')
    .option('--crf <number>', 'constant rate factor; lower is better and larger', parseNumberAs(fields.crf))
    .option(
      '--bitrate <kbit/s>',
      'average video bitrate with two-pass encoding, instead of --crf',
      parseWholeAs(fields.bitrate),
    )
    .option('--max-bitrate <kbit/s>', 'maximum video bitrate over two seconds', parseWholeAs(fields.maxBitrate))
    .addOption(
      new Option('--fit <way>', 'how a picture of another shape fits into width and height (default: contain)').choices(
        fields.fit.unwrap().options,
      ),
    )
    .option('--fps <number>', 'frame rate (default: as in the source)', parseNumberAs(fields.fps))
    .addOption(
      new Option('--speed <speed>', 'speed of the encoder; slower gives smaller files (default: medium)').choices(
        fields.speed.unwrap().options,
      ),
    )
    .option('--keyframe-interval <seconds>', 'exact time between key frames', parseNumberAs(fields.keyframeInterval))
    .option('--video-level <level>', 'H.264 or HEVC level, such as 4.1', parseVideoLevel)
    .addOption(
      new Option('--pixel-format <name>', 'pixel format (default: from codec and source)').choices(
        fields.pixelFormat.unwrap().options,
      ),
    )
    .option('--crop <side=pixels,…>', 'crop before scaling, such as top=140,bottom=140', parseCrop)
    .option('--pad <color>', 'colour that pads the picture to width and height: black, white or #1a2b3c', parsePad)
    .option('--rotate <degrees>', 'rotate clockwise: 90, 180 or 270', parseRotation)
    .addOption(
      new Option('--deinterlace <when>', 'deinterlace; auto: only interlaced video (default: auto)').choices(
        Object.keys(deinterlaceChoices),
      ),
    )
    .addOption(
      new Option('--denoise <strength>', 'remove noise from the pictures').choices(fields.denoise.unwrap().options),
    )
    .addOption(
      new Option('--sharpen <strength>', 'sharpen the scaled pictures').choices(fields.sharpen.unwrap().options),
    )
    .addOption(new Option('--hdr <what>', 'keep HDR, or tone-map it to SDR').choices(fields.hdr.unwrap().options))
    .option('--copy', 'copy streams that already match the output, without re-encoding');
}

export function hasPictures(output: DescribedOutput, presets: Presets): boolean {
  if (output.video !== undefined) return output.video !== false;
  const { preset = '' } = output;
  return Object.hasOwn(presets, preset) && Boolean(presets[preset]?.video);
}

export function needsPictures(flag: string): CliError {
  return new CliError(
    `${flag} needs a video output: --container ${withPictures[0]}, or a video preset such as --preset web-h264-720.`,
  );
}

const isTyped = (typed: FilmArguments, name: keyof FilmArguments): boolean => typed[name] !== undefined;

/** The contract's field of an option; `--level` is already an audio option. */
const fieldOf = (option: (typeof filmOptions)[number]): string => (option === 'videoLevel' ? 'level' : option);

/** The output of `--container`. It has video if the container can hold it and `--video none` is not given. */
export function describeContainer({ container, video }: FilmArguments): DescribedOutput[] {
  if (container === undefined) return [];
  const isFilm = video !== 'none' && withPictures.some((name) => name === container);
  return [{ container, ...(isFilm && { video: {} }) }];
}

/** Adds the video and audio options to the outputs. Throws if an option applies to none of them. */
export function withFilm(
  outputs: readonly DescribedOutput[],
  typed: FilmArguments,
  presets: Presets,
): DescribedOutput[] {
  const { deinterlace } = typed;
  const said = {
    ...Object.fromEntries(
      filmOptions.filter((name) => isTyped(typed, name)).map((name) => [fieldOf(name), typed[name]]),
    ),
    ...(deinterlace !== undefined && {
      deinterlace: deinterlaceChoices[deinterlace as keyof typeof deinterlaceChoices],
    }),
  };
  const parsed = VideoOptions.safeParse(said);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new CliError(
      `${flagOf(filmOptions.find((name) => fieldOf(name) === issue?.path[0]) ?? '')} of pictures: ${issue?.message}.`,
    );
  }
  const { video: codec, audio } = typed;
  const isFilm = (output: DescribedOutput): boolean => hasPictures(output, presets);
  const unused = ['video' as const, ...filmOptions].find((name) => isTyped(typed, name));
  if (unused !== undefined && codec !== 'none' && !outputs.some(isFilm)) {
    throw needsPictures(flagOf(unused));
  }
  const isOpen = ({ format }: DescribedOutput): boolean => format === undefined;
  if (audio !== undefined && !outputs.some(isOpen)) throw new CliError('--audio needs --container or --preset.');
  const pictures = { ...(codec !== undefined && { codec }), ...parsed.data };
  const isSaid = Object.keys(pictures).length > 0;
  return outputs.map((output) => ({
    ...output,
    ...(isSaid && isFilm(output) && { video: codec === 'none' ? false : { ...pictures, ...output.video } }),
    ...(isOpen(output) && soundFields(typed, output, isFilm(output))),
  }));
}

function soundFields({ audio, copy }: FilmArguments, output: DescribedOutput, isFilm: boolean): DescribedOutput {
  if (audio === 'none') return { audio: false };
  const said = { ...(audio !== undefined && { codec: audio }), ...(copy === true && isFilm && { copy }) };
  return Object.keys(said).length === 0 ? {} : { audio: soundOf(said, output) };
}

function soundOf(said: { codec?: string; copy?: true }, { audio }: DescribedOutput): DescribedOutput['audio'] {
  if (Array.isArray(audio)) return audio.map((track) => ({ ...said, ...track }));
  return audio === false ? false : { ...said, ...audio };
}
