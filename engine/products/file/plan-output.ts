import { type AudioCodec, audioCodecFacts, type BitDepth } from '../../../contract/audio-codecs.ts';
import { chooseSampleRate, fitDefaultBitrate } from '../../../contract/output-rules.ts';
import type { FileSettings, SoundSettings } from '../../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import { oggSerialOf } from '../../ffmpeg/repeatable-bytes.ts';
import { isMixable } from '../../ffmpeg/mixable-speakers.ts';
import type { Rational } from '../../ffmpeg/rational.ts';
import { planOutputCut } from '../../plan/cut-plan.ts';
import type { AudioSource, Source } from '../../source/source.ts';
import { planCopies } from '../../copy/copy-plan.ts';
import { drawnContent, planBurntSubtitles } from '../../subtitles/burnt-subtitles.ts';
import { planSubtitles } from '../../subtitles/plan-subtitles.ts';
import type { SubtitleOfLink } from '../../subtitles/subtitle-source.ts';
import { chooseSound } from '../../source/track.ts';
import { orUnsupported } from '../../unsupported.ts';
import { drawnRate } from './drawn-rate.ts';
import { soundBeside } from '../../pictures/film-cut.ts';
import { plannedSeconds, timingStart } from '../../pictures/video-timing.ts';
import type { CueWindows } from '../../plan/subtitle-plan.ts';
import { checkComparable, isMeasured } from '../../pictures/quality/measurable.ts';
import { checkEncodable, planVideo } from '../../pictures/plan-video.ts';
import type { AudioPlan } from '../../plan/audio-plan.ts';
import type { FilmCut, VideoPlan, WatermarkImage } from '../../plan/video-plan.ts';
import type { OutputPlan } from '../../plan/planned-output.ts';

/**
 * Bit depth at which a lossless output loses nothing; for lossy sources, the depth that ffmpeg chooses for the codec.
 */
function chooseBitDepth(codec: AudioCodec, { losslessBits, sampleFormat }: AudioSource): BitDepth {
  if (losslessBits !== undefined) return losslessBits > 16 ? 24 : 16;
  const decodesTo16Bits = /^(?:u8|s16)p?$/.test(sampleFormat ?? '');
  return decodesTo16Bits ? 16 : (audioCodecFacts(codec).lossySourceDepth ?? 16);
}

/** Whether an output with the source's channel count can keep its speaker layout. */
function hasLayout(codec: AudioCodec, { channels, channelLayout }: AudioSource): boolean {
  if (channelLayout === undefined) return true;
  return audioCodecFacts(codec).channelLayouts[channels - 1]?.split('|').includes(channelLayout) ?? false;
}

/**
 * True for 6.1 whose pair is behind the listener, as that of AAC, in a codec whose pair is beside the listener. ffmpeg
 * would mix the pair into the one channel behind.
 */
function movesBackToSide(codec: AudioCodec, channels: number, { channelLayout }: AudioSource): boolean {
  return channelLayout === '6.1(back)' && audioCodecFacts(codec).channelLayouts[channels - 1] === '6.1';
}

/**
 * Layout for channels whose speakers the source does not name: that of the codec, so that the channels are not mixed.
 * ffmpeg would take 3 channels for 2.1 and 4 for 4.0, which most codecs lack.
 */
function nameSpeakers(codec: AudioCodec, channels: number, source: AudioSource): AudioPlan['namedSpeakers'] {
  if (source.channelLayout !== undefined || source.channels <= 2) return undefined;
  const { channelLayouts } = audioCodecFacts(source.channels === channels ? codec : 'pcm');
  const layout = channelLayouts[source.channels - 1]?.split('|')[0];
  return layout === undefined ? undefined : { channels: source.channels, layout };
}

function checkSpeakers(output: OutputNaming, { channels, channelLayout }: AudioSource): void {
  if (channels > 1 && channelLayout !== undefined && !isMixable(channelLayout)) {
    const reason = `the speakers of the source, ${channelLayout}, cannot be mixed; send it with another channel layout, or with none`;
    throw new UnsupportedOutput(output, reason, { channels });
  }
  if (channelLayout !== undefined || channels <= 8) return;
  throw new UnsupportedOutput(
    output,
    `the source has ${channels} channels and no channel layout, so that they cannot be mixed to the eight that an output may have; send it with at most 8 channels, or with a channel layout`,
    { channels },
  );
}

function planAudio(output: SoundSettings, track: AudioSource): AudioPlan {
  const { audio, loudness } = output;
  const takenChannel = track.channels === 1 ? undefined : audio.takenChannel;
  const source: AudioSource = takenChannel === undefined ? track : { ...track, channels: 1, channelLayout: 'mono' };
  const { codec, quality } = audio;
  const { maxChannels, defaultBitrate } = audioCodecFacts(codec);
  checkSpeakers(output, source);
  const channels = audio.channels ?? Math.min(source.channels, maxChannels);
  const namedSpeakers = nameSpeakers(codec, channels, source);
  const requested = audio.hasDefaultBitrate === true ? undefined : audio.bitrate;
  const open = audio.bitrate ?? (source.channels === 1 ? defaultBitrate?.mono : defaultBitrate?.other);
  const bitrate = quality === undefined ? (requested ?? fitDefaultBitrate(audio, open, channels)) : undefined;
  return {
    ...{ codec, bitrate, quality, channels, takenChannel },
    sampleRate: chooseSampleRate(output, channels, bitrate, source.sampleRate),
    samples: audio.samples ?? chooseBitDepth(codec, source),
    dither: audio.dither,
    track: source.track,
    cut: planOutputCut(output, source),
    evensSpeech: output.evensSpeech,
    isMixed: channels !== source.channels || !hasLayout(codec, source),
    ...(channels !== source.channels && { hasOtherChannels: true }),
    ...(namedSpeakers !== undefined && { namedSpeakers }),
    ...(movesBackToSide(codec, channels, source) && { movesBackToSide: true }),
    oggSerial: oggSerialOf([
      ...[source.estimatedSeconds, source.bitrate, source.track, output.trim?.start, output.trim?.end],
      ...[codec, bitrate, channels],
    ]),
    sourceTime: {
      ...{ formatName: source.formatName, codec: source.codec },
      ...{ leadSeconds: source.leadSeconds, sampleRate: source.sampleRate },
      ...(source.hasWildSamples === true && { hasWildSamples: true }),
      ...(source.isUnnamedPair === true && { isUnnamedPair: true }),
      ...(source.stampScale !== undefined && { stampScale: source.stampScale }),
      ...(source.hidesStart !== undefined && { hidesStart: source.hidesStart }),
    },
    ...(loudness !== undefined && { loudness }),
  };
}

/**
 * Decides every parameter of one output (pure). Throws `unsupported_format` with the possible values, or `no_audio` if
 * the source lacks a required stream. `neededRate`: constant rate that its texts and fades need, found by the first plan.
 */
export function planOutput(
  output: FileSettings,
  source: Pick<Source, 'audio' | 'tracks' | 'pictures' | 'subtitles' | 'texts' | 'subtitlePictures'>,
  image?: WatermarkImage,
  subtitleOf: SubtitleOfLink = () => ({ cues: [] }),
  neededRate?: Rational,
): OutputPlan {
  const { label, named, container, checks, isFragmented } = output;
  return orUnsupported(() => {
    const track = chooseSound(output, source);
    const soundStart = track && source.pictures?.soundStarts[track.track];
    const planned =
      output.video &&
      source.pictures &&
      planVideo({
        settings: output.video,
        output,
        source: source.pictures,
        watermarkImage: image,
        drawnRate: neededRate,
      });
    const audio = track && planSound(output, track, soundStart, planned?.cut);
    const plan: OutputPlan = {
      ...{ label, named, container, checks },
      ...(audio !== undefined && { audio }),
      ...(isFragmented === true && { isFragmented }),
    };
    if (planned === undefined) return plan;
    const windowsOf = (film: VideoPlan) =>
      cueWindows(film, audio && track ? [track] : [], source.pictures?.soundStarts, track ?? source.audio);
    const planTracks = (film: VideoPlan) => planSubtitles(output, source, subtitleOf, windowsOf(film).whole);
    const tracks = planTracks(planned);
    const burnt = planBurntSubtitles(output, source, subtitleOf, windowsOf(planned).pictures, planned);
    const subtitles = tracks && { ...tracks, ...(burnt !== undefined && { burnt }) };
    const drawnSubtitles = drawnContent(burnt);
    const isDrawn = drawnSubtitles !== undefined || planned.fade !== undefined;
    if (isDrawn && output.video?.fps === undefined && neededRate === undefined) {
      const rate = drawnRate(planned.timing);
      if (rate !== undefined) return planOutput(output, source, image, subtitleOf, rate);
    }
    const video = { ...planned, ...(drawnSubtitles !== undefined && { drawnSubtitles }) };
    if (isMeasured(checks)) checkComparable(output, video);
    const decided = planCopies({
      ...{ settings: output, plan: { ...plan, video, ...(subtitles !== undefined && { subtitles }) }, source },
      planSound: (cut) => track && planSound(output, track, soundStart, cut),
      planSubtitles: planTracks,
    });
    checkEncodable(decided.video, output);
    return decided;
  });
}

/**
 * Time ranges of subtitles in an output and over its pictures: its sounds may continue after the pictures (pure).
 * The last argument is the sound whose clock files with `"clock": "sound"` have.
 */
export function cueWindows(
  { timing, cut }: VideoPlan,
  sounds: readonly AudioSource[],
  soundStarts: readonly number[] = [],
  { aloneStart }: Pick<AudioSource, 'aloneStart'> = {},
): { whole: CueWindows; pictures: CueWindows } {
  const [start, seconds] = [timingStart(timing), plannedSeconds(timing)];
  const soundEnds = sounds.map(
    ({ track, declaredSeconds, estimatedSeconds, leadSeconds }) =>
      (soundStarts[track] ?? 0) + (declaredSeconds ?? estimatedSeconds ?? 0) - leadSeconds,
  );
  const soundSeconds = Math.min(Math.max(...soundEnds) - start, (cut.to ?? Infinity) - cut.from);
  const longest = Math.max(seconds, soundSeconds);
  const windowsOf = (length: number): CueWindows => ({
    source: { start, seconds: length },
    file: { start: cut.from, seconds: length },
    sound: { start: aloneStart === undefined ? cut.from : start - aloneStart, seconds: length },
  });
  return { whole: windowsOf(longest), pictures: windowsOf(seconds) };
}

/** Plans sound that is in sync with the pictures to the sample; undefined if the output has no sound. */
function planSound(
  output: FileSettings,
  track: AudioSource,
  soundStart: number | undefined,
  filmCut: FilmCut | undefined,
): AudioPlan | undefined {
  const { audio } = output;
  if (audio === undefined) return undefined;
  if (filmCut === undefined || soundStart === undefined) return planAudio({ ...output, audio }, track);
  const beside = soundBeside(track, soundStart, filmCut);
  if (beside.isOver && !output.needsAudio) return undefined;
  return { ...planAudio({ ...output, audio, trim: beside.trim }, beside.track), film: beside.film };
}
