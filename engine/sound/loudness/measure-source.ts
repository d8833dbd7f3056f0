import type { Work } from '../../work.ts';
import { errorFacts } from '../../../tracing/error-facts.ts';
import type { AudioPlan, Level } from '../../plan/audio-plan.ts';
import { loudnessOf, type Loudness } from './loudness.ts';
import { measureRun, meterOptions, type Measured } from './measure-part.ts';
import { edgeFilters, joinMeterParts, planMeterParts, type FilterMemory, type MeterPart, wholePart } from './parts.ts';
import { runPool } from '../../pool.ts';
import { audioFilters, type Trim } from '../arguments.ts';
import { endsTheJob } from '../../ends-the-job.ts';
import { stopAtLimit } from '../../ffmpeg/limited-run.ts';
import type { EncodeLimits } from '../../ffmpeg/limits.ts';
import { hasSoxr } from '../../ffmpeg/tool-check.ts';
import { findEntry } from '../segmented/entry.ts';
import { firstSegmentArguments } from '../segmented/segment-arguments.ts';
import { segmentArguments, type SegmentInput } from '../segmented/segment-encode.ts';
import { createSharedProgress } from '../segmented/shared-progress.ts';
import type { AudioSource } from '../../source/source.ts';
import { speechFrameSamples, speechMemorySeconds } from '../speech-level.ts';

/** Hz. An output with a lower rate lacks significant sound, so it is measured separately. */
const fullBandRate = 32_000;

/** Seconds. At usual rates, the period is 3. */
const longestPeriodSeconds = 10;

/** Undefined if no frame within this period starts at a whole second again. */
function speechMemory(sampleRate: number): FilterMemory | undefined {
  const frameSamples = speechFrameSamples(sampleRate);
  const periods = Array.from({ length: longestPeriodSeconds }, (_, index) => index + 1);
  const periodSeconds = periods.find((seconds) => (seconds * sampleRate) % frameSamples === 0);
  return periodSeconds === undefined ? undefined : { periodSeconds, seconds: Math.ceil(speechMemorySeconds) };
}

/** Measures the input of the encoders of a job's outputs, once for all outputs with the same samples. */
export class SourceMeter {
  readonly #source: AudioSource;
  readonly #limits: EncodeLimits;
  readonly #job: Work;
  readonly #measured = new Map<string, Promise<Loudness>>();
  #input: Promise<SegmentInput | undefined> | undefined;
  #hasSoxr = false;

  constructor(source: AudioSource, limits: EncodeLimits, job: Work) {
    this.#source = source;
    this.#limits = limits;
    this.#job = job;
  }

  /** Measures the source with this output's channels or, given a level, the encoder's input. */
  async measure(audio: AudioPlan, level?: Level): Promise<Loudness> {
    const measured = this.#asMeasured(audio, level);
    const key = audioFilters(measured, {}).join();
    const known = this.#measured.get(key) ?? this.#measure(measured);
    this.#measured.set(key, known);
    return await known;
  }

  get channels(): number {
    return this.#source.channels;
  }

  /** Measures the source with its own channels. */
  async measureUnmixed(audio: AudioPlan): Promise<Loudness> {
    const { channels } = this.#source;
    const { hasOtherChannels: _, ...own } = audio;
    return await this.measure({ ...own, codec: 'pcm', channels, isMixed: false });
  }

  /** Outputs without relevant differences are measured as one. */
  #asMeasured(audio: AudioPlan, level: Level | undefined): AudioPlan {
    const { level: _, ...plain } = audio;
    if (level !== undefined) return { ...plain, level };
    const isNarrow = audio.sampleRate < Math.min(fullBandRate, this.#source.sampleRate);
    if (isNarrow) return { ...plain, level: { gain: 0, ceiling: undefined } };
    return { ...plain, sampleRate: this.#source.sampleRate };
  }

  async #measure(audio: AudioPlan): Promise<Loudness> {
    const { signal, log } = this.#job;
    this.#hasSoxr = await hasSoxr();
    try {
      const measured = await this.#measureInParts(audio);
      if (measured !== undefined) return loudnessOf(measured);
    } catch (error) {
      signal.throwIfAborted();
      if (endsTheJob(error)) throw error;
      log.warn(errorFacts(error), 'Measuring in parts was given up; measuring by a single run');
    }
    return loudnessOf(await this.#measureWhole(audio));
  }

  /** Undefined if the source cannot be entered at a sample or the parts do not have the expected blocks. */
  async #measureInParts(audio: AudioPlan): Promise<Measured | undefined> {
    const { estimatedSeconds, sampleRate, leadSeconds } = this.#source;
    const { encodeParallelism: processes } = this.#limits;
    const { cut, evensSpeech } = audio;
    const seconds = cut === undefined ? estimatedSeconds : cut.keptSamples / cut.sampleRate;
    // At other rates, a second is not a whole number of blocks.
    if (seconds === undefined || leadSeconds > 0 || audio.sampleRate % 10 !== 0) return undefined;
    const memory = evensSpeech ? speechMemory(audio.sampleRate) : undefined;
    if (evensSpeech && memory === undefined) return undefined;
    const parts = planMeterParts(seconds, processes, memory);
    if (parts.length === 1) return undefined;
    this.#input ??= this.#findInput();
    const input = await this.#input;
    if (input === undefined) return undefined;
    const progress = createSharedProgress(seconds, (fraction, speed) => this.#job.advance('measure', fraction, speed));
    const tasks = parts.map((part) => {
      const { readFrom, readTo } = part;
      const advance = progress.share((readTo ?? seconds) - readFrom);
      return async (signal: AbortSignal) => {
        const segment = {
          sourceFrom: readFrom * sampleRate,
          sourceTo: readTo === undefined ? undefined : readTo * sampleRate,
          outputSamples: readTo === undefined ? undefined : (readTo - readFrom) * audio.sampleRate,
        };
        const options = (ofPart: AudioPlan, trim?: Trim): string[] => this.#options(ofPart, part, trim);
        const reader = { source: this.#source, input };
        const { outputOptions, ...read } = await segmentArguments(reader, segment, audio, options, signal);
        const run = { ...read, options: outputOptions, limits: this.#limits };
        return await measureRun({ ...run, ...stopAtLimit(this.#limits, signal, advance, readFrom) });
      };
    });
    const measured = await runPool(tasks, processes, this.#job.signal);
    // Lost frames shift everything after them, and a process that starts later does not know of earlier losses.
    if (measured.some(({ undecodedPackets }) => undecodedPackets > 0)) return undefined;
    return joinMeterParts(parts, measured);
  }

  async #measureWhole(audio: AudioPlan): Promise<Measured> {
    const { path, sampleRate, estimatedSeconds } = this.#source;
    const segment = { sourceFrom: 0, sourceTo: undefined, outputSamples: undefined };
    const { outputOptions, ...read } = firstSegmentArguments(path, sampleRate, segment, () =>
      this.#options(audio, wholePart),
    );
    const run = { ...read, options: outputOptions, limits: this.#limits };
    const onAdvance = (seconds: number, speed: number | undefined): void =>
      this.#job.advance('measure', estimatedSeconds === undefined ? undefined : seconds / estimatedSeconds, speed);
    return await measureRun({ ...run, ...stopAtLimit(this.#limits, this.#job.signal, onAdvance) });
  }

  #options(audio: AudioPlan, part: MeterPart, trim: Trim = {}): string[] {
    // If a limiter works, its ceiling is the peak.
    const withPeaks = audio.level?.ceiling === undefined;
    const filters = [...audioFilters(audio, trim), ...edgeFilters(part)];
    const { sampleRate, track } = audio;
    return meterOptions(filters, { sampleRate, track, withPeaks, withSoxr: this.#hasSoxr });
  }

  /** Decoding raw samples to a file first would take longer than measuring them. */
  async #findInput(): Promise<SegmentInput | undefined> {
    const entry = await findEntry(this.#source);
    return entry.kind === 'seek' || entry.kind === 'frames' ? entry : undefined;
  }
}
