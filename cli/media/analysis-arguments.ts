import { Option, type Command } from 'commander';
import { analyses, analysisFacts, type AnalysisKind, kindsAskedBy } from '../../contract/analyses.ts';
import {
  AnalysisOptions,
  analysisOptionsShape,
  checkAnalysisFields,
  type PictureTime,
} from '../../contract/http/analysis.ts';
import { CliError } from '../cli-error.ts';
import { metadataOptions } from './tag-arguments.ts';
import { collectChoices, parseAt, parseBits, parseColor, parseSecondsAs, parseWholeAs } from '../option-values.ts';

/** As they are typed. */
export interface AnalysisArguments {
  analysis?: string[];
  image?: string[];
  zoom?: number;
  bits?: number;
  splitChannels?: true;
  dataFormat?: 'json' | 'dat';
  width?: number;
  height?: number;
  /** of pictures too */
  fit?: string;
  imageFormat?: string;
  imageQuality?: number;
  at?: PictureTime;
  count?: number;
  /** seconds */
  interval?: number;
  cuts?: number;
  /** seconds */
  cutDuration?: number;
  waveformColor?: string;
  backgroundColor?: string;
}

const CheckedOptions = AnalysisOptions.superRefine((options, context) => {
  checkAnalysisFields(options, (field, message) => context.addIssue({ code: 'custom', message, path: [field] }));
});

const kinds = Object.keys(analyses) as AnalysisKind[];

export function withAnalysisOptions(command: Command): Command {
  const [found, drawn] = [kindsAskedBy('analysis'), kindsAskedBy('image')];
  return command
    .option(
      '--analysis <kind>',
      `what is found out of the sound: ${found.join(', ')}; may be repeated`,
      collectChoices(found),
    )
    .option(
      '--image <kind>',
      `an image of the sound or of the film: ${drawn.join(', ')}; may be repeated`,
      collectChoices(drawn),
    )
    .option('--zoom <samples>', 'in each pair of peaks (default: 256)', parseWholeAs(analysisOptionsShape.zoom))
    .option('--bits <number>', 'of a peak: 8 or 16 (default: 16)', parseBits)
    .option('--split-channels', 'peaks and waveform of each channel, in place of those of their mean')
    .addOption(new Option('--data-format <format>', 'of peaks (default: json)').choices(['json', 'dat']))
    .option('--width <pixels>', 'of images or pictures', parseWholeAs(analysisOptionsShape.width))
    .option('--height <pixels>', 'of images or pictures', parseWholeAs(analysisOptionsShape.height))
    .addOption(
      new Option('--image-format <format>', 'of images (default: jpeg; of sound png, of previews webp)').choices(
        analysisOptionsShape.imageFormat.unwrap().options,
      ),
    )
    .option(
      '--image-quality <number>',
      'of images with loss: 1 to 100, the best',
      parseWholeAs(analysisOptionsShape.quality),
    )
    .option('--at <time>', 'of a poster: auto, seconds, or a part of the film such as 10% (default: auto)', parseAt)
    .option(
      '--count <number>',
      'of thumbnails (default: 10), or pictures of a contact sheet (default: 20)',
      parseWholeAs(analysisOptionsShape.count),
    )
    .option(
      '--interval <seconds>',
      'from one thumbnail, or tile of a storyboard, to the next',
      parseSecondsAs(analysisOptionsShape.interval.unwrap()),
    )
    .option(
      '--cuts <number>',
      'parts of the film that a preview shows (default: 4)',
      parseWholeAs(analysisOptionsShape.cuts),
    )
    .option(
      '--cut-duration <seconds>',
      'of each of them (default: 1)',
      parseSecondsAs(analysisOptionsShape.cutDuration.unwrap()),
    )
    .option('--waveform-color <color>', 'such as #3f4d9b, or #3f4d9b80 to let the ground shine through', parseColor)
    .option('--background-color <color>', 'of images; #00000000 is none', parseColor);
}

/** Options for what only encoded sound has; the first that is given. */
export function findEncodeOption(typed: object): string | undefined {
  const names = [
    'channels',
    'sampleRate',
    'loudness',
    ...Object.keys(metadataOptions),
    'metadata',
    'chapters',
    'cover',
    'verify',
    'fragmented',
  ];
  const given = names.find((name) => Object.hasOwn(typed, name));
  return given === undefined
    ? undefined
    : `option '${flagOf(given)}' needs --format or --preset: it is not for analyses and images`;
}

/** How a field of an output is typed: `--split-channels` of `splitChannels`. */
function flagOf(field: string): string {
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Colors are one field, and several options. */
function optionOf(field: string): string {
  if (field === 'quality') return flagOf('imageQuality');
  return field === 'colors' ? 'A color' : flagOf(field);
}

/** What the outputs are that are no encoded media: each takes of the options what it knows. Throws where one is for none of them. */
export function describeAnalyses(typed: AnalysisArguments): AnalysisOptions[] {
  const { analysis = [], image = [], waveformColor, backgroundColor, imageQuality: quality, ...others } = typed;
  const colors = { waveform: waveformColor, background: backgroundColor };
  const said = Object.entries({
    ...others,
    quality,
    colors: Object.values(colors).every((color) => color === undefined) ? undefined : colors,
  }).filter(([field, value]) => Object.hasOwn(analysisOptionsShape, field) && value !== undefined);
  const asked = [...new Set([...analysis, ...image])] as AnalysisKind[];
  for (const [field] of said) {
    if (asked.some((kind) => analysisFacts(kind).fields.includes(field))) continue;
    const users = kinds.filter((kind) => analysisFacts(kind).fields.includes(field));
    const examples = users.map((kind) => `--${analysisFacts(kind).asked} ${kind}`);
    throw new CliError(`${optionOf(field)} needs ${examples.join(' or ')}.`);
  }
  return asked.map((kind) => {
    const { asked: field, fields } = analysisFacts(kind);
    const options = { [field]: kind, ...Object.fromEntries(said.filter(([name]) => fields.includes(name))) };
    const parsed = CheckedOptions.safeParse(options);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const at = issue?.path[0];
    throw new CliError(`${at === undefined ? kind : optionOf(String(at))}: ${issue?.message}.`);
  });
}
