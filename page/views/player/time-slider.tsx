import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { laterTexts } from '../../later-texts.ts';
import { formatClock } from '../../words/format.ts';
import { placeByKey } from '../../words/seek-key.ts';

interface Props {
  class: string;
  atSeconds: Signal<number>;
  lengthSeconds: Signal<number>;
  onSeek: (seconds: number) => void;
  /** Seconds under the pointer; undefined when the pointer leaves. */
  onPoint?: (seconds: number | undefined) => void;
  children: ComponentChildren;
}

/** A slider that seeks by pointer and keys; its children draw it. */
export function TimeSlider({ atSeconds, lengthSeconds, onSeek, onPoint, children, ...props }: Props) {
  const placeOf = (event: PointerEvent): number => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width)) * lengthSeconds.value;
  };
  return (
    <div
      class={props.class}
      role="slider"
      tabIndex={0}
      aria-label={laterTexts.player.position}
      aria-valuemin={0}
      aria-valuemax={Math.round(lengthSeconds.value)}
      aria-valuenow={Math.round(atSeconds.value)}
      aria-valuetext={laterTexts.player.of(formatClock(atSeconds.value), formatClock(lengthSeconds.value))}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        onSeek(placeOf(event));
      }}
      onPointerMove={(event) => {
        onPoint?.(placeOf(event));
        if (event.buttons === 1) onSeek(placeOf(event));
      }}
      onPointerLeave={() => onPoint?.(undefined)}
      onKeyDown={(event) => {
        const to = placeByKey(event.key, atSeconds.value, lengthSeconds.value);
        if (to === undefined) return;
        event.preventDefault();
        onSeek(to);
      }}
    >
      {children}
    </div>
  );
}
