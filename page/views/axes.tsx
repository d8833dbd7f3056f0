import type { ComponentChildren } from 'preact';
import type { Tick } from '../words/ticks.ts';
import '../style/axes.css';

/** A picture with labels at its left and bottom edge. The picture itself describes its content to screen readers. */
export function Axes({ x, y, children }: { x: readonly Tick[]; y: readonly Tick[]; children: ComponentChildren }) {
  return (
    <div class="axes">
      <div class="axis-y quiet small" aria-hidden="true">
        {y.map(({ at, words }) => (
          <span key={words} style={{ top: `${100 * at}%` }}>
            {words}
          </span>
        ))}
      </div>
      {children}
      <AxisX ticks={x} />
    </div>
  );
}

export function AxisX({ ticks }: { ticks: readonly Tick[] }) {
  return (
    <div class="axis-x quiet small" aria-hidden="true">
      {ticks.map(({ at, words }) => (
        // The label of an end stays within the axis.
        <span key={words} style={{ left: `${100 * at}%` }} class={at < 0.03 ? 'first' : at > 0.9 ? 'last' : ''}>
          {words}
        </span>
      ))}
    </div>
  );
}
