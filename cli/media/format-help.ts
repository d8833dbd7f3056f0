import { type AudioCodec, audioCodecFacts, audioCodecs } from '../../contract/formats.ts';

/** "mp3, aac, opus with _<kbit/s>, flac or wav": what `--format` takes, from the table of formats. */
export function describeFormats(): string {
  const codecs = Object.keys(audioCodecs) as AudioCodec[];
  const isLossy = (codec: AudioCodec) => audioCodecFacts(codec).bitrates !== undefined;
  const lossless = codecs.filter((codec) => !isLossy(codec));
  const last = lossless.length === 1 ? lossless : [lossless.slice(0, -1).join(', '), lossless.at(-1)];
  return `${codecs.filter(isLossy).join(', ')} with _<kbit/s>, ${last.join(' or ')}`;
}
