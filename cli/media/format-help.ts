import { audioCodecFacts } from '../../contract/audio-codecs.ts';
import { type FormatBase, formats } from '../../contract/formats.ts';

/** Values of `--format`: "mp3, aac, opus with _<kbit/s>, flac, alac or wav". */
export function describeFormats(): string {
  const names = Object.keys(formats) as FormatBase[];
  const isLossy = (name: FormatBase) => audioCodecFacts(formats[name].codec).bitrates !== undefined;
  const lossless = names.filter((name) => !isLossy(name));
  return `${names.filter(isLossy).join(', ')} with _<kbit/s>, ${lossless.slice(0, -1).join(', ')} or ${lossless.at(-1)}`;
}
