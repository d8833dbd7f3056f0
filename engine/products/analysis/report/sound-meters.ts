import type { AudioReport } from '../../../../contract/http/report.ts';
import { roundLevel } from '../../../sound/loudness/round-level.ts';
import { finiteSamples } from '../finite-samples.ts';
import { BandwidthMeter } from './bandwidth.ts';
import { ChannelLevels } from './channel-levels.ts';
import { ClippingFinder } from './clipping.ts';
import { NoiseFloorMeter } from './noise-floor.ts';
import { SilenceFinder } from './silence-finder.ts';
import { StereoMeter } from './stereo.ts';

export interface MeteredSound {
  channels: number;
  /** Hz */
  sampleRate: number;
  /** Whether the source has 8 bits. */
  isEightBit: boolean;
}

/** All meters of a report except loudness. */
export class SoundMeters {
  readonly #levels: ChannelLevels;
  readonly #clipping: ClippingFinder;
  readonly #silence: SilenceFinder;
  readonly #noise: NoiseFloorMeter;
  readonly #bandwidth: BandwidthMeter;
  readonly #stereo: StereoMeter | undefined;

  constructor(sound: MeteredSound) {
    this.#levels = new ChannelLevels(sound.channels);
    this.#clipping = new ClippingFinder(sound);
    this.#silence = new SilenceFinder(sound);
    this.#noise = new NoiseFloorMeter(sound);
    this.#bandwidth = new BandwidthMeter(sound);
    this.#stereo = sound.channels === 2 ? new StereoMeter(sound.sampleRate) : undefined;
  }

  add(samples: Float32Array): void {
    const block = finiteSamples(samples);
    this.#levels.add(block);
    this.#clipping.add(block);
    this.#silence.add(block);
    this.#noise.add(block);
    this.#bandwidth.add(block);
    this.#stereo?.add(block);
  }

  result(): Pick<AudioReport, 'levels' | 'clipping' | 'silence' | 'stereo' | 'noiseFloor' | 'bandwidth'> {
    const stereo = this.#stereo?.result();
    return {
      levels: this.#levels.result(),
      clipping: this.#clipping.result(),
      silence: this.#silence.result(),
      ...(stereo !== undefined && { stereo }),
      noiseFloor: roundLevel(this.#noise.result()),
      bandwidth: this.#bandwidth.result(),
    };
  }
}
