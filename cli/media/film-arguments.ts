import { Option, type Command } from 'commander';
import { containers, containerFacts, type ContainerName } from '../../contract/formats.ts';
import type { DescribedOutput } from '../../contract/http/output.ts';
import { VideoOptions } from '../../contract/http/video.ts';
import type { Presets } from '../../contract/presets.ts';
import { videoCodecs } from '../../contract/video-codecs.ts';
import { CliError } from '../cli-error.ts';
import { parseNumberAs, parseWholeAs } from '../option-values.ts';

/** As they are typed. */
export interface FilmArguments {
  container?: string;
  /** a codec, or `none` */
  video?: string;
  audio?: string;
  crf?: number;
  /** kbit/s */
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
}

const fields = VideoOptions.shape;
const filmOptions = ['crf', 'maxBitrate', 'width', 'height', 'fit', 'fps', 'speed', 'keyframeInterval'] as const;

const withPictures = (Object.keys(containers) as ContainerName[]).filter(
  (name) => containerFacts(name).videoCodecs !== undefined,
);

export function withFilmOptions(command: Command): Command {
  return command
    .option('--container <name>', `an output in this container: ${withPictures.join(', ')}, or one of sound alone`)
    .option('--video <codec>', `of the outputs with pictures: ${Object.keys(videoCodecs).join(', ')}, or none`)
    .option('--audio <codec>', 'of the outputs by --container and --preset, such as aac or opus, or none')
    .option('--crf <number>', 'constant rate factor: the lower, the better and larger', parseNumberAs(fields.crf))
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
    );
}

export function hasPictures(output: DescribedOutput, presets: Presets): boolean {
  if (output.video !== undefined) return output.video !== false;
  const { preset = '' } = output;
  return Object.hasOwn(presets, preset) && Boolean(presets[preset]?.video);
}

const isTyped = (typed: FilmArguments, name: keyof FilmArguments): boolean => typed[name] !== undefined;

/** How a field is typed: `--max-bitrate` of `maxBitrate`. */
const flagOf = (field: string): string => `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** What `--container` asks for. */
export function describeContainer(typed: FilmArguments): DescribedOutput[] {
  if (typed.container === undefined) return [];
  const isSound =
    typed.video === 'none' || (typed.video === undefined && !filmOptions.some((name) => isTyped(typed, name)));
  return [{ container: typed.container, ...(!isSound && { video: {} }) }];
}

/** The outputs with what the options say of their pictures and their sound. Throws where one is for none of them. */
export function withFilm(
  outputs: readonly DescribedOutput[],
  typed: FilmArguments,
  presets: Presets,
): DescribedOutput[] {
  const said = Object.fromEntries(
    filmOptions.filter((name) => isTyped(typed, name)).map((name) => [name, typed[name]]),
  );
  const parsed = VideoOptions.safeParse(said);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new CliError(`${flagOf(String(issue?.path[0]))} of pictures: ${issue?.message}.`);
  }
  const { video: codec, audio } = typed;
  const isFilm = (output: DescribedOutput): boolean => hasPictures(output, presets);
  const unused = ['video' as const, ...filmOptions].find((name) => isTyped(typed, name));
  if (unused !== undefined && codec !== 'none' && !outputs.some(isFilm)) {
    throw new CliError(
      `${flagOf(unused)} needs an output with pictures: --container ${withPictures[0]}, or --preset with one of films such as web-h264-720.`,
    );
  }
  const isOpen = ({ format }: DescribedOutput): boolean => format === undefined;
  if (audio !== undefined && !outputs.some(isOpen)) throw new CliError('--audio needs --container or --preset.');
  const pictures = { ...(codec !== undefined && { codec }), ...parsed.data };
  const isSaid = Object.keys(pictures).length > 0;
  return outputs.map((output) => ({
    ...output,
    ...(isSaid && isFilm(output) && { video: codec === 'none' ? false : { ...pictures, ...output.video } }),
    ...(audio !== undefined && isOpen(output) && { audio: audio === 'none' ? false : soundOf(audio, output) }),
  }));
}

function soundOf(codec: string, { audio }: DescribedOutput): DescribedOutput['audio'] {
  if (Array.isArray(audio)) return audio.map((track) => ({ codec, ...track }));
  return audio === false ? false : { codec, ...audio };
}
