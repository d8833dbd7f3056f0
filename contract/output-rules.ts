import type { Bitrates } from './audio-bitrates.ts';
import { type AudioCodec, audioCodecFacts, mostFlacRate, sampleKindsOf } from './audio-codecs.ts';
import { containerFacts, containers, type ContainerName } from './formats.ts';
import { maxWrittenMetadataBytes, metadataBytes } from './http/tags.ts';
import type { AudioSettings, FileSettings, SoundSettings } from './file-settings.ts';
import { UnsupportedOutput } from './unsupported-output.ts';
import { videoCodecFacts, videoCodecs } from './video-codecs.ts';

function allows(bitrates: Bitrates, bitrate: number): boolean {
  return 'min' in bitrates ? bitrate >= bitrates.min && bitrate <= bitrates.max : bitrates.includes(bitrate);
}

function describeBitrates(bitrates: Bitrates): string {
  return 'min' in bitrates ? `${bitrates.min} to ${bitrates.max}` : bitrates.join(', ');
}

/**
 * Rates of the codec in order of preference: the source's own, then higher ones, which lose nothing, then lower ones.
 * Bitrates depend on the rate, so a telephone recording as mp3_128 becomes 16 kHz.
 */
export function suitableSampleRates(codec: AudioCodec, sourceRate: number): number[] {
  const { sampleRates: rates, rateRule } = audioCodecFacts(codec);
  if (rates === undefined) {
    // Fractions of the rates of DSD128, DSD256 and DSD512 lose nothing that can be heard, and FLAC can express one.
    const parts = sourceRate > mostFlacRate ? [1, 2, 4, 8] : [1];
    return parts.map((part) => sourceRate / part).filter((rate) => rateRule?.allows(rate) ?? true);
  }
  return [...rates.filter((rate) => rate >= sourceRate), ...rates.filter((rate) => rate < sourceRate).toReversed()];
}

/** The requested rate, or the one that suits the source best, for the number of channels. */
export function chooseSampleRate(
  output: SoundSettings,
  channels: number,
  bitrate: number | undefined,
  sourceRate: number,
): number {
  const { codec } = output.audio;
  const { preferredRate, bitrates, rateRule } = audioCodecFacts(codec);
  const preferred = output.audio.sampleRate ?? preferredRate;
  const rates = preferred === undefined ? suitableSampleRates(codec, sourceRate) : [preferred];
  const [first = sourceRate] = rates;
  if (rateRule !== undefined && !rateRule.allows(first)) {
    throw new UnsupportedOutput(output, `${codec} works at ${rateRule.text}, not at ${first} Hz`, {
      sampleRate: first,
    });
  }
  if (bitrate === undefined || bitrates === undefined) return first;
  const chosen = rates.find((rate) => allows(bitrates(channels, rate), bitrate));
  if (chosen !== undefined) return chosen;
  const text = describeBitrates(bitrates(channels, first));
  const channelText = `${channels} channel${channels === 1 ? '' : 's'}`;
  throw new UnsupportedOutput(output, `at ${first} Hz and ${channelText} ${codec} takes ${text} kbit/s`, {
    sampleRate: first,
    channels,
  });
}

/** The default bitrate, or the nearest one that the codec takes at the requested sample rate. */
export function fitDefaultBitrate(
  { codec, sampleRate }: AudioSettings,
  bitrate: number | undefined,
  channels: number,
): number | undefined {
  const { bitrates } = audioCodecFacts(codec);
  if (bitrate === undefined || bitrates === undefined || sampleRate === undefined) return bitrate;
  const taken = bitrates(channels, sampleRate);
  if ('min' in taken) return Math.min(taken.max, Math.max(taken.min, bitrate));
  return taken.findLast((one) => one <= bitrate) ?? taken[0];
}

function listed(names: readonly (string | number)[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function containerProblem(container: ContainerName, { codec }: AudioSettings): string | undefined {
  const { audioCodecs } = containerFacts(container);
  return audioCodecs.includes(codec) ? undefined : `${container} files hold ${listed(audioCodecs)}, not ${codec}`;
}

function bitrateProblem({ codec, bitrate, quality }: AudioSettings): string | undefined {
  const { bitrates, qualities, defaultBitrate } = audioCodecFacts(codec);
  if (bitrate !== undefined && quality !== undefined) return 'use a bitrate or a quality, not both';
  if (bitrates === undefined && bitrate !== undefined) return `${codec} is lossless and has no bitrate`;
  if (quality !== undefined) {
    if (qualities === undefined) return `${codec} has no quality${bitrates === undefined ? '' : '; use a bitrate'}`;
    const { best, worst } = qualities;
    const isWithin = quality >= Math.min(best, worst) && quality <= Math.max(best, worst);
    return isWithin ? undefined : `the quality of ${codec} is a number from ${best} (best) to ${worst}`;
  }
  if (bitrates === undefined || bitrate !== undefined || defaultBitrate !== undefined) return undefined;
  return `${codec} needs a bitrate in kbit/s, such as 64`;
}

function samplesProblem({ codec, samples, dither }: AudioSettings): string | undefined {
  if (dither !== undefined && samples !== 16) return 'dither needs a bitDepth of 16';
  if (samples === undefined) return undefined;
  const kinds = sampleKindsOf(codec);
  if (kinds.length === 0) return `${codec} is lossy, so it has no bitDepth and no sampleFormat`;
  if (kinds.includes(samples)) return undefined;
  return samples === 'float'
    ? `${codec} has integer samples, not float`
    : `${codec} has samples of ${listed(kinds)} bits, not of ${samples}`;
}

function shapeProblem({ codec, channels, sampleRate }: AudioSettings): string | undefined {
  const { maxChannels, sampleRates } = audioCodecFacts(codec);
  if (channels !== undefined && channels > maxChannels) return `${codec} has at most ${maxChannels} channels`;
  if (sampleRate === undefined || sampleRates === undefined || sampleRates.includes(sampleRate)) return undefined;
  return `${codec} works at ${sampleRates.join(', ')} Hz`;
}

/** A container drops tags of the source that it cannot hold; requested ones are refused. */
function tagsProblem({ container, tags }: FileSettings): string | undefined {
  const { tags: held } = containerFacts(container);
  if (held === 'all') return undefined;
  const { metadata = {}, chapters, cover } = tags;
  const asked = [
    ...(held === 'none' && Object.keys(metadata).length > 0 ? ['metadata'] : []),
    ...(typeof chapters === 'object' ? ['chapters'] : []),
    ...(typeof cover === 'object' ? ['cover'] : []),
  ];
  if (asked.length > 0) {
    const tagged = Object.entries(containers).flatMap(([name, facts]) => (facts.tags === 'all' ? [name] : []));
    return `${container} files cannot hold ${listed(asked)}; ${listed(tagged)} files can`;
  }
  const bytes = Object.entries(metadata).reduce((sum, [name, value]) => sum + metadataBytes(name, String(value)), 0);
  return bytes > maxWrittenMetadataBytes
    ? `${container} files hold at most ${maxWrittenMetadataBytes} bytes of metadata, and the request has ${bytes}`
    : undefined;
}

function streamsProblem({
  container,
  audio,
  video,
  silence,
  watermark,
  subtitles,
  checks,
}: FileSettings): string | undefined {
  if (video === undefined) {
    if (watermark !== undefined) return 'a watermark needs pictures; request a video';
    if (subtitles !== undefined) return 'subtitles need pictures; request a video';
    if (audio?.copied !== undefined) return 'sound can be copied only beside pictures; request a video';
    if (audio === undefined) return 'it would have neither sound nor pictures';
    if (checks.quality === true || checks.target !== undefined)
      return 'quality and target measure pictures, and the output has none';
    return containerFacts(container).needsVideo ? `${container} files need pictures; request a video` : undefined;
  }
  if (checks.target !== undefined && video.crf === undefined) {
    const obstacle = video.bitrate === undefined ? `${video.codec} has none` : 'a bitrate replaces it';
    return `a target chooses the crf, and ${obstacle}`;
  }
  if (checks.target?.per === 'scene' && videoCodecFacts(video.codec).hasZones !== true) {
    const able = Object.entries(videoCodecs).flatMap(([name, facts]) => ('hasZones' in facts ? [name] : []));
    return `a target per scene needs ${listed(able)}, because an encoder of ${video.codec} has one crf`;
  }
  return silence === undefined ? undefined : 'an output with pictures keeps all pauses; leave silence out';
}

function fragmentsProblem({ container, isFragmented, tags, subtitles }: FileSettings): string | undefined {
  if (isFragmented === undefined) return undefined;
  // ffmpeg 5.1 writes none of the subtitles' text into fragments.
  if (subtitles !== undefined && subtitles.keep.length + subtitles.add.length > 0) {
    return 'a fragmented file cannot hold subtitle tracks; burn the subtitles in, or leave fragmented out';
  }
  const able = Object.entries(containers).flatMap(([name, { demuxer }]) => (demuxer === 'mov' ? [name] : []));
  if (!able.includes(container)) return `${container} files cannot be fragmented; ${listed(able)} files can`;
  return typeof tags.chapters === 'object'
    ? 'a fragmented file cannot hold chapters; set chapters to "none"'
    : undefined;
}

/** Throws if an output cannot be made from any source. */
export function checkOutput(output: FileSettings): void {
  const { container, audio } = output;
  const ofSound =
    audio &&
    (containerProblem(container, audio) ?? bitrateProblem(audio) ?? samplesProblem(audio) ?? shapeProblem(audio));
  const problem = streamsProblem(output) ?? fragmentsProblem(output) ?? ofSound ?? tagsProblem(output);
  if (problem !== undefined) throw new UnsupportedOutput(output, problem);
  if (audio?.sampleRate === undefined) return;
  const bitrate = audio.hasDefaultBitrate === true ? undefined : audio.bitrate;
  chooseSampleRate({ ...output, audio }, audio.channels ?? fittingChannels(audio), bitrate, audio.sampleRate);
}

/** A number of channels at which the codec takes the bitrate, if there is one; the source is checked later. */
function fittingChannels({ codec, bitrate, sampleRate = 0 }: AudioSettings): number {
  const { bitrates, maxChannels } = audioCodecFacts(codec);
  if (bitrate === undefined || bitrates === undefined) return maxChannels;
  const counts = Array.from({ length: maxChannels }, (_, index) => index + 1);
  return counts.find((count) => allows(bitrates(count, sampleRate), bitrate)) ?? maxChannels;
}
