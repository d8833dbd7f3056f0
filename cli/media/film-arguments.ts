import { Option, type Command } from 'commander';
import { containers, containerFacts, type ContainerName } from '../../contract/formats.ts';
import type { DescribedOutput } from '../../contract/http/output.ts';
import { type Crop, VideoOptions } from '../../contract/http/video.ts';
import type { Presets } from '../../contract/presets.ts';
import { videoCodecs } from '../../contract/video-codecs.ts';
import { CliError } from '../cli-error.ts';
import { parseNumberAs, parseWholeAs } from '../option-values.ts';
import { parseCrop, parsePad, parseRotation, parseVideoLevel } from '../picture-values.ts';

/** As they are typed. */
export interface FilmArguments {
  container?: string;
  /** a codec, or `none` */
  video?: string;
  audio?: string;
  crf?: number;
  /** kbit/s */
  bitrate?: number;
  maxBitrate?: number;
  /** pixels; those of images have the same options */
  width?: number;
  height?: number;
  fit?: string;
  /** frames a second */
  fps?: number;
  speed?: string;
  /** seconds */
  keyframeInterval?: number;
  /** of H.264 and HEVC, such as `4.1`; `--level` is of speech */
  videoLevel?: string;
  pixelFormat?: string;
  crop?: Crop;
  /** a colour */
  pad?: string;
  /** degrees clockwise */
  rotate?: number;
  deinterlace?: string;
  hdr?: string;
  /** of pictures and sound */
  copy?: true;
}

const fields = VideoOptions.shape;
const filmOptions = [
  ...(['crf', 'bitrate', 'maxBitrate', 'width', 'height', 'fit', 'fps', 'speed', 'keyframeInterval'] as const),
  ...(['videoLevel', 'pixelFormat', 'crop', 'pad', 'rotate', 'deinterlace', 'hdr', 'copy'] as const),
] as const;

/** What a person says, and what the contract has for it. */
const deinterlaceChoices = { auto: 'auto', always: true, never: false } as const;

const withPictures = (Object.keys(containers) as ContainerName[]).filter(
  (name) => containerFacts(name).videoCodecs !== undefined,
);

export function withFilmOptions(command: Command): Command {
  return command
    .option(
      '--container <name>',
      `an output in this container: a film in ${withPictures.join(', ')}, or sound in one of sound alone`,
    )
    .option('--video <codec>', `of the outputs with pictures: ${Object.keys(videoCodecs).join(', ')}, or none`)
    .option('--audio <codec>', 'of the outputs by --container and --preset, such as aac or opus, or none')
    .option('--crf <number>', 'constant rate factor: the lower, the better and larger', parseNumberAs(fields.crf))
    .option(
      '--bitrate <kbit/s>',
      'of pictures on average, by two passes, in place of --crf',
      parseWholeAs(fields.bitrate),
    )
    .option('--max-bitrate <kbit/s>', 'of pictures, over two seconds', parseWholeAs(fields.maxBitrate))
    .addOption(
      new Option('--fit <way>', 'how pictures of another shape go into width and height (default: contain)').choices(
        fields.fit.unwrap().options,
      ),
    )
    .option('--fps <number>', 'frames a second (default: as the source)', parseNumberAs(fields.fps))
    .addOption(
      new Option('--speed <speed>', 'of the encoder; the slower, the smaller (default: medium)').choices(
        fields.speed.unwrap().options,
      ),
    )
    .option(
      '--keyframe-interval <seconds>',
      'from one key frame to the next, exactly',
      parseNumberAs(fields.keyframeInterval),
    )
    .option('--video-level <level>', 'of H.264 and HEVC: what decoders have to hold, such as 4.1', parseVideoLevel)
    .addOption(
      new Option('--pixel-format <name>', 'of pictures (default: as the codec and the source have it)').choices(
        fields.pixelFormat.unwrap().options,
      ),
    )
    .option('--crop <side=pixels,…>', 'cut off before scaling, such as top=140,bottom=140', parseCrop)
    .option('--pad <color>', 'what fills width and height beside the picture: black, white or #1a2b3c', parsePad)
    .option('--rotate <degrees>', 'turn clockwise: 90, 180 or 270', parseRotation)
    .addOption(
      new Option('--deinterlace <when>', 'auto: where the pictures are found to be interlaced (default: auto)').choices(
        Object.keys(deinterlaceChoices),
      ),
    )
    .addOption(
      new Option(
        '--hdr <what>',
        'what becomes of high dynamic range: keep, or the colours of ordinary screens',
      ).choices(fields.hdr.unwrap().options),
    )
    .option('--copy', 'copy packets without loss where the source already is what is asked for');
}

export function hasPictures(output: DescribedOutput, presets: Presets): boolean {
  if (output.video !== undefined) return output.video !== false;
  const { preset = '' } = output;
  return Object.hasOwn(presets, preset) && Boolean(presets[preset]?.video);
}

export function needsPictures(flag: string): CliError {
  return new CliError(
    `${flag} needs an output with pictures: --container ${withPictures[0]}, or --preset with one of films such as web-h264-720.`,
  );
}

const isTyped = (typed: FilmArguments, name: keyof FilmArguments): boolean => typed[name] !== undefined;

/** The field of an option; `--level` is another one, of sound. */
const fieldOf = (option: (typeof filmOptions)[number]): string => (option === 'videoLevel' ? 'level' : option);

/** How an option is typed: `--max-bitrate` of `maxBitrate`. */
const flagOf = (field: string): string => `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** What `--container` asks for: a film, where it can hold one, unless somebody says otherwise. */
export function describeContainer({ container, video }: FilmArguments): DescribedOutput[] {
  if (container === undefined) return [];
  const isFilm = video !== 'none' && withPictures.some((name) => name === container);
  return [{ container, ...(isFilm && { video: {} }) }];
}

/** The outputs with what the options say of their pictures and their sound. Throws where one is for none of them. */
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
