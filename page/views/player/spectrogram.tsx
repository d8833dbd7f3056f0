import { laterTexts } from '../../later-texts.ts';
import { formatClock } from '../../words/format.ts';
import type { ResultFile } from '../../words/result-files.ts';
import { spanTicks, valueTicks } from '../../words/ticks.ts';
import { Axes } from '../axes.tsx';

/** Frequencies over time. The scale is linear, up to half the sample rate. */
export function Spectrogram({ result: { file, facts } }: { result: ResultFile }) {
  const { duration = 0, sampleRate } = facts ?? {};
  const frequencies =
    sampleRate === undefined ? [] : valueTicks(0, sampleRate / 2000, (value) => laterTexts.player.frequency(value));
  return (
    <figure class="spectrogram">
      <Axes x={spanTicks(duration, formatClock, 1)} y={frequencies}>
        <img src={file.url} alt={laterTexts.player.spectrogramOf} />
      </Axes>
      <figcaption class="quiet small">{laterTexts.player.spectrogram}</figcaption>
    </figure>
  );
}
