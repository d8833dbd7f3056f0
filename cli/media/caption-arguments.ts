import { Option, type Command } from 'commander';
import { CaptionStyle, type RequestedCaptionStyle } from '../../contract/captions.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import { parseBetween } from '../option-values.ts';

export interface CaptionArguments {
  captionLineLength?: number;
  captionLines?: number;
  captionReadingSpeed?: number;
  captionGap?: number;
}

/** Adds the layout of captions. The schema has the ranges and the defaults. */
export function withCaptionOptions(command: Command): Command {
  const { lineLength, lines, readingSpeed, minGap } = CaptionStyle.shape;
  const option = (flags: string, help: string, schema: typeof lineLength) =>
    new Option(flags, `${help} (default: ${schema.def.defaultValue})`).argParser(parseBetween(schema.unwrap()));
  return command
    .optionsGroup('Captions:')
    .addOption(option('--caption-line-length <characters>', 'length of the longest line of a caption', lineLength))
    .addOption(option('--caption-lines <number>', 'maximum number of lines of a caption', lines))
    .addOption(
      option(
        '--caption-reading-speed <number>',
        'characters that a viewer reads per second, which decide how long a caption stays',
        readingSpeed,
      ),
    )
    .addOption(option('--caption-gap <seconds>', 'shortest gap between two captions', minGap));
}

/** Undefined without caption options. */
export function captionsOf(typed: CaptionArguments): RequestedCaptionStyle | undefined {
  const style = definedFields({
    lineLength: typed.captionLineLength,
    lines: typed.captionLines,
    readingSpeed: typed.captionReadingSpeed,
    minGap: typed.captionGap,
  });
  return Object.keys(style).length === 0 ? undefined : style;
}
