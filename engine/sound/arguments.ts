import { audioCodecFacts, encodingOf } from '../../contract/audio-codecs.ts';
import { containers } from '../../contract/formats.ts';
import { gapFilter } from '../ffmpeg/gap-filter.ts';
import { levelFilters } from './loudness/level-filter.ts';
import { cutFilters } from '../plan/cut-plan.ts';
import { speechFilter } from './speech-level.ts';
import type { OutputPlan } from '../plan/planned-output.ts';
import type { AudioPlan } from '../plan/audio-plan.ts';

/** Filters that cut a part out of the samples: of the source's, or of those that go into the encoder. */
export interface Trim {
  source?: string;
  output?: string;
}

/** ffmpeg's arguments for one output (pure), whole or a part of it. */
export function encodeArguments(plan: OutputPlan, trim: Trim = {}): string[] {
  return [
    ...(plan.audio === undefined ? [] : ['-map', `0:a:${plan.audio.track}`]),
    ...tagArguments(plan),
    ...(plan.audio === undefined ? [] : audioArguments(plan.audio, trim)),
    ...muxerArguments(plan),
  ];
}

/** Of sound alone, which has no key frames: microseconds. */
const soundFragment = '4000000';

/**
 * One fragment from a key frame to the next, of a second at least, and an index of all before them. `delay_moov`: else sound would be late by the
 * delay of its encoder, and pictures by those that are decoded before they are shown.
 */
function fragmentArguments(hasPictures: boolean): string[] {
  const flags = '+delay_moov+default_base_moof+global_sidx';
  return hasPictures
    ? ['-movflags', `+frag_keyframe${flags}`, '-min_frag_duration', '1000000']
    : ['-movflags', flags, '-frag_duration', soundFragment];
}

/** ffmpeg's arguments for the file of an output (pure). */
export function muxerArguments({
  container,
  video,
  isFragmented,
}: Pick<OutputPlan, 'container' | 'video' | 'isFragmented'>): string[] {
  const { muxer, muxerOptions } = containers[container];
  return [...(isFragmented === true ? fragmentArguments(video !== undefined) : muxerOptions), '-f', muxer];
}

/** Nothing of the source goes through as it is: its tags are bounded and cleaned (`tags/`). */
export function tagArguments({ metadata, audio }: Pick<OutputPlan, 'metadata' | 'audio'>): string[] {
  const { entries = [], language } = metadata ?? {};
  return [
    ...['-map_chapters', '-1', '-map_metadata', '-1'],
    ...[...entries].flatMap(([name, value]) => ['-metadata', `${name}=${value}`]),
    ...(language === undefined || audio === undefined ? [] : ['-metadata:s:a:0', `language=${language}`]),
  ];
}

/**
 * Mixes by the coefficients of ITU-R BS.775 (0.7071 for centre and surrounds, none for the low frequencies), divided by their sum, so
 * that nothing clips. ffmpeg divides so where integers go in or out, and leaves floating point, which mp3 and AAC decode to, to clip.
 */
const mixFilter = 'aresample=rematrix_maxval=1';

/** The samples that go into the encoder, from those that the source's decoder gives out. */
export function audioFilters(audio: AudioPlan, trim: Trim): string[] {
  const { codec, channels, sampleRate, sourceTime, cut, isMixed, evensSpeech, level } = audio;
  const channelLayouts = audioCodecFacts(codec).channelLayouts[channels - 1] ?? 'stereo';
  // Segments are cut by the numbers of the output's samples, and a level is set at the output's rate: another resampler behind it
  // would move the peaks. And it is set in floating point.
  const shape = `channel_layouts=${channelLayouts}:sample_rates=${sampleRate}${level === undefined ? '' : ':sample_fmts=fltp'}`;
  // Drops the time stamps, so that ffmpeg counts samples instead. The gap filter leaves small gaps open, and time stamps with
  // gaps would make an m4a longer than its audio. The expression N is no count: it restarts where joined files change rate.
  const contiguous = 'asetpts=NAN';
  const filters = [
    trim.source,
    gapFilter(sourceTime),
    ...(cut === undefined ? [] : cutFilters(cut)),
    isMixed ? mixFilter : undefined,
    `aformat=${shape}`,
    evensSpeech ? speechFilter : undefined,
    ...(level === undefined ? [] : levelFilters(level, { sampleRate, channelLayouts })),
    trim.output,
    contiguous,
  ];
  return filters.filter((filter) => filter !== undefined);
}

function audioArguments(audio: AudioPlan, trim: Trim): string[] {
  const { codec, sampleRate, bitrate, quality, samples, dither } = audio;
  const { encoder, sampleFormat } = encodingOf(codec, samples);
  const dithering =
    dither === undefined ? [] : [`aresample=${sampleRate}:osf=${sampleFormat ?? 's16'}:dither_method=${dither}`];
  return [
    ...['-af', [...audioFilters(audio, trim), ...dithering].join(',')],
    ...['-ar', String(sampleRate)],
    ...['-c:a', encoder],
    ...(bitrate === undefined ? [] : ['-b:a', `${bitrate}k`]),
    ...(quality === undefined ? [] : qualityArguments(quality)),
    ...(sampleFormat === undefined ? [] : ['-sample_fmt', sampleFormat]),
  ];
}

/** ffmpeg's FF_QP2LAMBDA: encoders get a quality times this, as a whole number. */
const qualityScale = 118;

/** As `-q:a` sets them, which takes no quality below 0 and does not say so: Vorbis goes down to -1. */
function qualityArguments(quality: number): string[] {
  return ['-flags:a', '+qscale', '-global_quality:a', String(Math.trunc(quality * qualityScale))];
}
