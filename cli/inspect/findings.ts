import { formatCount } from '../../client/text/format-count.ts';
import { outOfPhaseCorrelation, type AudioReport } from '../../contract/http/report.ts';
import { formatPlace } from '../text/format-place.ts';

/** A finding to check before publication, as a part of a sentence about the recording. */
type Finding = (report: AudioReport) => string | undefined;

/** dBFS; quieter noise in pauses is inaudible next to speech at -20. */
const noisyDb = -50;
/** Share of full scale. */
const muchDc = 0.005;
/** Seconds; after this, listeners think that playback has stopped. */
const longPause = 5;

function channelName(channel: number, { channels }: AudioReport): string {
  if (channels === 2) return channel === 0 ? 'left' : 'right';
  return channels === 1 ? 'it' : `channel ${channel + 1}`;
}

const findings: readonly Finding[] = [
  ({ loudness }) => (loudness.truePeak === null ? 'is completely silent' : undefined),
  ({ clipping: { count, places } }) =>
    count === 0 ? undefined : `clips at ${formatPlace(places[0]?.start ?? 0)}, ${formatCount(count, 'time')} in all`,
  ({ loudness: { truePeak } }) =>
    truePeak !== null && truePeak > 0 ? `has inter-sample peaks that clip on playback: ${truePeak} dBTP` : undefined,
  ({ stereo }) => {
    switch (stereo?.kind) {
      case 'inverted':
        return 'left and right are out of phase: they cancel each other in mono';
      case 'mono':
        return 'is mono in two channels: left and right are identical';
      case 'one_sided':
        return 'one of its two channels is silent';
      case 'stereo': {
        const first = stereo.worst.find(({ correlation }) => correlation < outOfPhaseCorrelation);
        if (first === undefined) return undefined;
        return `left and right are out of phase for ${formatCount(stereo.outOfPhaseSeconds, 'second')}, for example at ${formatPlace(first.start)}`;
      }
      case 'silent':
      case undefined:
        return undefined;
    }
  },
  ({ source, bandwidth }) => {
    const { probablyLossy, resemblesBitrate, frequency } = bandwidth;
    if (!probablyLossy || source.isLossy) return undefined;
    return `was probably encoded with loss before, as mp3 at about ${resemblesBitrate} kbit/s or similar: it has nothing above ${(frequency / 1000).toFixed(1)} kHz`;
  },
  (report) => {
    const far = report.levels.findIndex(({ dcOffset }) => Math.abs(dcOffset) > muchDc);
    if (far < 0) return undefined;
    const share = ((report.levels[far]?.dcOffset ?? 0) * 100).toFixed(1);
    return `${channelName(far, report)} has a DC offset of ${share} % of full scale`;
  },
  ({ noiseFloor, silence }) =>
    noiseFloor !== null && noiseFloor > noisyDb && silence.count === 0
      ? `its quietest moments are at ${noiseFloor} dBFS: background noise, or sound without pauses`
      : undefined,
  ({ silence: { places } }) => {
    const long = places.filter(({ start, end }) => end - start >= longPause);
    const [longest] = long.toSorted((one, other) => other.end - other.start - (one.end - one.start));
    if (longest === undefined) return undefined;
    const seconds = (longest.end - longest.start).toFixed(1);
    return `is silent for ${seconds} s at ${formatPlace(longest.start)}${long.length > 1 ? `, and ${formatCount(long.length - 1, 'more time')} for ${longPause} s and longer` : ''}`;
  },
];

export function findingsOf(report: AudioReport): string[] {
  return findings.map((finding) => finding(report)).filter((text) => text !== undefined);
}
