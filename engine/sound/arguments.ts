import { frameSizeOptions } from '../formats/flac/frame-size.ts';
import { audioCodecFacts, encodingOf } from '../../contract/audio-codecs.ts';
import { containers } from '../../contract/formats.ts';
import { repeatableBytes } from '../ffmpeg/repeatable-bytes.ts';
import { gapFilter } from '../ffmpeg/gap-filter.ts';
import { levelFilters } from './loudness/level-filter.ts';
import { cutFilters } from '../plan/cut-plan.ts';
import { channelMappingOptions } from '../ffmpeg/opus-mapping.ts';
import { speechFilter } from './speech-level.ts';
import type { OutputPlan } from '../plan/planned-output.ts';
import type { AudioPlan } from '../plan/audio-plan.ts';

/** A part of the samples to keep: of the source's, or of those that enter the encoder. */
export interface Trim {
  source?: string;
  output?: string;
}

/** ffmpeg arguments for one output, or for a part of it. */
export function encodeArguments(plan: OutputPlan, trim: Trim = {}): string[] {
  return [
    ...(plan.audio === undefined ? [] : ['-map', `0:a:${plan.audio.track}`]),
    ...tagArguments(plan),
    ...(plan.audio === undefined ? [] : audioArguments(plan.audio, trim)),
    ...shortPacketArguments(plan),
    ...muxerArguments(plan),
  ];
}

/** Microseconds; audio alone has no key frames to divide it. */
const soundFragment = '4000000';

/**
 * Writes one fragment per key frame, at least a second long, preceded by an index of all fragments. Without
 * `delay_moov`, audio would be late by its encoder's delay, and pictures by their reordering.
 */
function fragmentArguments(hasPictures: boolean): string[] {
  const flags = '+delay_moov+default_base_moof+global_sidx';
  return hasPictures
    ? ['-movflags', `+frag_keyframe${flags}`, '-min_frag_duration', '1000000']
    : ['-movflags', flags, '-frag_duration', soundFragment];
}

/** ffmpeg arguments for the file of an output. */
export function muxerArguments({
  container,
  audio,
  video,
  isFragmented,
}: Pick<OutputPlan, 'container' | 'audio' | 'video' | 'isFragmented'>): string[] {
  const { muxer, muxerOptions } = containers[container];
  return [
    ...(isFragmented === true ? fragmentArguments(video !== undefined) : muxerOptions),
    ...repeatableBytes(container, audio?.oggSerial),
    ...['-f', muxer],
  ];
}

/**
 * Matroska counts milliseconds. If the last frame of FLAC is shorter than half of one, its duration is rounded to 0, and
 * ffmpeg 5.1 states that of a full frame instead: the file would seem to be 0.1 s longer.
 */
function shortPacketArguments({ container, audio }: Pick<OutputPlan, 'container' | 'audio'>): string[] {
  const isAffected = audio?.codec === 'flac' && containers[container].muxer === 'matroska';
  return isAffected ? ['-bsf:a', 'setts=duration=max(DURATION\\,1)'] : [];
}

/** Nothing from the source is passed on unchanged: its tags are bounded and cleaned (`tags/`). */
export function tagArguments({ metadata, audio }: Pick<OutputPlan, 'metadata' | 'audio'>): string[] {
  const { entries = [], language } = metadata ?? {};
  return [
    ...['-map_chapters', '-1', '-map_metadata', '-1'],
    ...[...entries].flatMap(([name, value]) => ['-metadata', `${name}=${value}`]),
    ...(language === undefined || audio === undefined ? [] : ['-metadata:s:a:0', `language=${language}`]),
  ];
}

/**
 * Mixes by the coefficients of ITU-R BS.775 (0.7071 for centre and surrounds, none for the low frequencies), divided by
 * their sum so that nothing clips. ffmpeg itself divides only if integers go in or out. Floating point, to which mp3
 * and AAC decode, could clip.
 */
const mixFilter = 'aresample=rematrix_maxval=1';

/** 6.1(back) as 6.1: the pairs change their names. */
const sideFilter = 'channelmap=map=FL-FL|FR-FR|FC-FC|LFE-LFE|BC-BC|BL-SL|BR-SR:channel_layout=6.1';

/** In all of ffmpeg's layouts with a left and a right channel, these are the first two. */
const takeFilters = { left: 'pan=mono|c0=c0', right: 'pan=mono|c0=c1' };

function nameFilter({ channels, layout }: NonNullable<AudioPlan['namedSpeakers']>): string {
  return `channelmap=map=${[...Array(channels).keys()].join('|')}:channel_layout=${layout}`;
}

/**
 * Layouts between which ffmpeg chooses the one that suits the source. For another number of channels it would choose
 * unusual ones, such as 6.0(front) for mono.
 */
function layoutsOf({ codec, channels, hasOtherChannels }: AudioPlan): string {
  const layouts = audioCodecFacts(codec).channelLayouts[channels - 1] ?? 'stereo';
  return hasOtherChannels === true ? layouts.replace(/\|.*/, '') : layouts;
}

/** Filters from the source's decoder to the encoder. */
export function audioFilters(audio: AudioPlan, trim: Trim): string[] {
  const { takenChannel, sampleRate, sourceTime, cut, isMixed, evensSpeech, level, namedSpeakers } = audio;
  const channelLayouts = layoutsOf(audio);
  // Segments are cut at sample numbers of the output, and a level is set at the output's rate in floating point. A
  // resampler after it would move the peaks.
  const shape = `channel_layouts=${channelLayouts}:sample_rates=${sampleRate}${level === undefined ? '' : ':sample_fmts=fltp'}`;
  // Drops the timestamps, so that ffmpeg counts samples instead. The gap filter leaves small gaps open, and timestamps
  // with gaps would make an m4a longer than its audio. The expression N is not a count: it restarts where joined files
  // change their rate.
  const contiguous = 'asetpts=NAN';
  const filters = [
    trim.source,
    gapFilter(sourceTime),
    ...(cut === undefined ? [] : cutFilters(cut)),
    takenChannel && takeFilters[takenChannel],
    namedSpeakers && nameFilter(namedSpeakers),
    audio.movesBackToSide ? sideFilter : undefined,
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
  const { codec, sampleRate, channels, bitrate, quality, samples, dither } = audio;
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
    ...(codec === 'flac' ? frameSizeOptions(sampleRate, channels, Number(samples)) : []),
    ...(codec === 'opus' ? channelMappingOptions(channels) : []),
  ];
}

/** ffmpeg's FF_QP2LAMBDA. Encoders receive the quality times this, as an integer. */
const qualityScale = 118;

/** Sets the quality as `-q:a` does. That option silently raises qualities below 0, but Vorbis goes down to -1. */
function qualityArguments(quality: number): string[] {
  return ['-flags:a', '+qscale', '-global_quality:a', String(Math.trunc(quality * qualityScale))];
}
