import { audioCodecFacts } from '../../contract/audio-codecs.ts';
import { type FormatBase, formats } from '../../contract/formats.ts';

/** Values of `--format`: "mp3, aac, opus with _<kbit/s>, flac or wav". */
export function describeFormats(): string {
  const names = Object.keys(formats) as FormatBase[];
  const isLossy = (name: FormatBase) => audioCodecFacts(formats[name].codec).bitrates !== undefined;
  const lossless = names.filter((name) => !isLossy(name));
  const last = lossless.length === 1 ? lossless : [lossless.slice(0, -1).join(', '), lossless.at(-1)];
  return `${names.filter(isLossy).join(', ')} with _<kbit/s>, ${last.join(' or ')}`;
}
