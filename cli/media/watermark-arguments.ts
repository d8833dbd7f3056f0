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

/** As they are typed. */
export interface WatermarkArguments {
  watermark?: string;
  watermarkPlace?: ContainerWatermark['place'];
  /** shares of the picture's width */
  watermarkSize?: number;
  watermarkMargin?: number;
  watermarkOpacity?: number;
}

/** An image over the pictures of all outputs that have some. */
export interface DescribedWatermark {
  file: CompanionFile | undefined;
  /** Of an output, where the file is at this URL. */
  fieldAt(urlOf: (name: string) => string): ContainerWatermark;
}

const { size, margin, opacity } = Watermark.shape;

export function withWatermarkOptions(command: Command): Command {
  return command
    .option('--watermark <file-or-URL>', 'an image over the pictures of films: PNG, JPEG or WebP')
    .addOption(
      new Option('--watermark-place <place>', 'where it lies (default: bottom-right)').choices(watermarkPlaces),
    )
    .option(
      '--watermark-size <share>',
      'its width, as a share of that of the picture (default: 0.15)',
      parseNumberAs(size),
    )
    .option('--watermark-margin <share>', 'to the edges, as such a share (default: 0.02)', parseNumberAs(margin))
    .option('--watermark-opacity <share>', 'of the image (default: 1)', parseNumberAs(opacity));
}

/** Undefined where none is asked for. */
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
