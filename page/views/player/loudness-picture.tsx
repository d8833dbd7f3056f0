import type { LoudnessFacts } from '../../../contract/http/loudness.ts';
import { laterTexts } from '../../later-texts.ts';
import { formatClock, formatRound, formatSigned } from '../../words/format.ts';
import { spanTicks, valueTicks } from '../../words/ticks.ts';
import { Axes } from '../axes.tsx';

/** LUFS at the bottom and top. */
const [lowest, highest] = [-50, 0];

/** Momentary loudness over time, with the target. */
export function LoudnessPicture({ loudness, target }: { loudness: LoudnessFacts; target: number | undefined }) {
  const { curve, integrated } = loudness;
  if (curve === undefined || curve.momentary.length < 2) return null;
  const heightOf = (lufs: number): number => (100 * (highest - Math.max(lowest, lufs))) / (highest - lowest);
  const points = curve.momentary.map((lufs, index) => `${index},${heightOf(lufs ?? lowest).toFixed(2)}`);
  const last = curve.momentary.length - 1;
  const words = [
    laterTexts.player.curve,
    ...(integrated === null ? [] : [laterTexts.player.whole(formatSigned(integrated))]),
    ...(target === undefined ? [] : [laterTexts.player.target(formatSigned(target))]),
  ].join(' · ');
  return (
    <figure class="curve">
      <Axes
        x={spanTicks(curve.momentary.length * curve.interval, formatClock, 1)}
        y={valueTicks(lowest, highest, formatRound)}
      >
        <svg viewBox={`0 0 ${last} 100`} preserveAspectRatio="none" role="img" aria-label={words}>
          <polygon class="area" points={`0,100 ${points.join(' ')} ${last},100`} />
          <polyline class="line" points={points.join(' ')} />
          {target !== undefined && <line class="target" x1="0" x2={last} y1={heightOf(target)} y2={heightOf(target)} />}
        </svg>
      </Axes>
      <figcaption class="quiet small">{words}</figcaption>
    </figure>
  );
}
