import { Option, type Command } from 'commander';
import { analyses, analysisFacts, type AnalysisKind, kindsAskedBy } from '../../contract/analyses.ts';
import {
  AnalysisOptions,
  analysisOptionsShape,
  checkAnalysisFields,
  type PictureTime,
} from '../../contract/http/analysis.ts';
import { CliError } from '../cli-error.ts';
import { flagOf } from './flag-of.ts';
import { metadataOptions } from './tag-arguments.ts';
import { collectChoices, parseAt, parseBits, parseColor, parseSecondsAs, parseWholeAs } from '../option-values.ts';

export interface AnalysisArguments {
  analysis?: string[];
  image?: string[];
  zoom?: number;
  bits?: number;
  splitChannels?: true;
  dataFormat?: 'json' | 'dat';
  width?: number;
  height?: number;
  /** Films have this option too. */
  fit?: string;
  imageFormat?: string;
  imageQuality?: number;
  at?: PictureTime;
  count?: number;
  interval?: number;
  cuts?: number;
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
    .optionsGroup('Analyses and images:')
    .option('--analysis <kind>', `analysis of the audio: ${found.join(', ')}; repeatable`, collectChoices(found))
    .option('--image <kind>', `image of the audio or video: ${drawn.join(', ')}; repeatable`, collectChoices(drawn))
    .option('--zoom <samples>', 'samples per pair of peaks (default: 256)', parseWholeAs(analysisOptionsShape.zoom))
    .option('--bits <number>', 'bits per peak: 8 or 16 (default: 16)', parseBits)
    .option('--split-channels', 'show each channel in peaks and waveform, instead of their mean')
    .addOption(new Option('--data-format <format>', 'format of peaks (default: json)').choices(['json', 'dat']))
    .option('--width <pixels>', 'width of images or video', parseWholeAs(analysisOptionsShape.width))
    .option('--height <pixels>', 'height of images or video', parseWholeAs(analysisOptionsShape.height))
    .addOption(
      new Option('--image-format <format>', 'format of images (default: jpeg; audio: png, previews: webp)').choices(
        analysisOptionsShape.imageFormat.unwrap().options,
      ),
    )
    .option(
      '--image-quality <number>',
      'quality of lossy images, from 1 to 100 (best)',
      parseWholeAs(analysisOptionsShape.quality),
    )
    .option('--at <time>', 'time of a poster: auto, seconds, or a share such as 10% (default: auto)', parseAt)
    .option(
      '--count <number>',
      'number of thumbnails (default: 10) or frames of a contact sheet (default: 20)',
      parseWholeAs(analysisOptionsShape.count),
    )
    .option(
      '--interval <seconds>',
      'time between thumbnails or storyboard tiles',
      parseSecondsAs(analysisOptionsShape.interval.unwrap()),
    )
    .option('--cuts <number>', 'number of clips in a preview (default: 4)', parseWholeAs(analysisOptionsShape.cuts))
    .option(
      '--cut-duration <seconds>',
      'length of each clip in a preview (default: 1)',
      parseSecondsAs(analysisOptionsShape.cutDuration.unwrap()),
    )
    .option(
      '--waveform-color <color>',
      'colour of the waveform, such as #3f4d9b or, translucent, #3f4d9b80',
      parseColor,
    )
    .option('--background-color <color>', 'background of images; #00000000 is transparent', parseColor);
}

/** Error message for the first option that applies only to encoded media. */
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
    : `option '${flagOf(given)}' needs --format or --preset: it does not apply to analyses and images`;
}

/** The option of a field. Several options set the one field `colors`. */
function optionOf(field: string): string {
  if (field === 'quality') return flagOf('imageQuality');
  return field === 'colors' ? 'A color' : flagOf(field);
}

/** Describes the requested analyses and images, each with the options that apply to it. Throws if an option applies to none. */
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
