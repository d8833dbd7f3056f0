import { extname } from 'node:path';
import { Option, type Command } from 'commander';
import {
  type ContainerWatermark,
  ContainerWatermark as Watermark,
  watermarkPlaces,
} from '../../contract/http/watermark.ts';
import { CliError } from '../cli-error.ts';
import { parseNumberAs } from '../option-values.ts';
import { parseSource } from './named-source.ts';
import type { CompanionFile } from './tag-arguments.ts';

export interface WatermarkArguments {
  watermark?: string;
  watermarkPlace?: ContainerWatermark['place'];
  /** Share of the picture's width, as is the margin. */
  watermarkSize?: number;
  watermarkMargin?: number;
  watermarkOpacity?: number;
}

export interface DescribedWatermark {
  file: CompanionFile | undefined;
  /** Field of an output; `urlOf` gives the URL of the file. */
  fieldAt(urlOf: (name: string) => string): ContainerWatermark;
}

const { size, margin, opacity } = Watermark.shape;

export function withWatermarkOptions(command: Command): Command {
  return command
    .optionsGroup('Watermark:')
    .option('--watermark <file-or-URL>', 'image to draw over the video: PNG, JPEG or WebP')
    .addOption(
      new Option('--watermark-place <place>', 'position of the watermark (default: bottom-right)').choices(
        watermarkPlaces,
      ),
    )
    .option(
      '--watermark-size <share>',
      'width of the watermark as a share of the picture width (default: 0.15)',
      parseNumberAs(size),
    )
    .option(
      '--watermark-margin <share>',
      'distance to the edges as a share of the picture width (default: 0.02)',
      parseNumberAs(margin),
    )
    .option(
      '--watermark-opacity <share>',
      'opacity of the watermark, from 0 to 1 (default: 1)',
      parseNumberAs(opacity),
    );
}

/** Undefined without a watermark. */
export function describeWatermark(typed: WatermarkArguments, userFolder: string): DescribedWatermark | undefined {
  const { watermark, watermarkPlace: place, watermarkSize, watermarkMargin, watermarkOpacity } = typed;
  const looks = { place, size: watermarkSize, margin: watermarkMargin, opacity: watermarkOpacity };
  if (watermark === undefined) {
    const unused = Object.entries(looks).find(([, value]) => value !== undefined);
    if (unused !== undefined) throw new CliError(`--watermark-${unused[0]} needs --watermark.`);
    return undefined;
  }
  const named = parseSource(watermark, userFolder);
  if (named.kind === 'url') return { file: undefined, fieldAt: () => ({ url: named.url, ...looks }) };
  const file = { path: named.path, name: `watermark${extname(named.path)}` };
  return { file, fieldAt: (urlOf) => ({ url: urlOf(file.name), ...looks }) };
}
