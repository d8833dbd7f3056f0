import type { Signal } from '@preact/signals';
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { barsOf, type Peaks } from '../../words/peaks.ts';
import { TimeSlider } from './time-slider.tsx';

const barPixels = 3;
const gapPixels = 1;
const heightPixels = 96;

interface Props {
  /** URL of a peaks file; without one, a flat line is drawn. */
  peaks: string | undefined;
  atSeconds: Signal<number>;
  lengthSeconds: Signal<number>;
  onSeek: (seconds: number) => void;
}

/** The waveform, which is also the player's slider. */
export function Waveform({ peaks, atSeconds, lengthSeconds, onSeek }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const loaded = useSignal<Peaks | undefined>(undefined);
  const width = useSignal(0);
  const scheme = useSignal(0);
  useEffect(() => {
    if (peaks === undefined) return;
    fetch(peaks)
      .then(async (response) => (response.ok ? ((await response.json()) as Peaks) : undefined))
      .then((answer) => (loaded.value = answer))
      .catch(() => undefined);
  }, [peaks]);
  useEffect(() => {
    const { current } = canvas;
    if (!current) return undefined;
    const observer = new ResizeObserver(([entry]) => (width.value = Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(current);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const onScheme = (): void => void (scheme.value += 1);
    dark.addEventListener('change', onScheme);
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', onScheme);
    };
  }, []);
  useSignalEffect(() => {
    void scheme.value;
    const played = lengthSeconds.value === 0 ? 0 : atSeconds.value / lengthSeconds.value;
    if (canvas.current) draw(canvas.current, width.value, loaded.value, played);
  });
  return (
    <TimeSlider class="waveform" atSeconds={atSeconds} lengthSeconds={lengthSeconds} onSeek={onSeek}>
      <canvas ref={canvas} aria-hidden="true" />
    </TimeSlider>
  );
}

function draw(canvas: HTMLCanvasElement, width: number, peaks: Peaks | undefined, played: number): void {
  const context = canvas.getContext('2d');
  if (context === null || width === 0) return;
  const scale = devicePixelRatio;
  const [wantedWidth, wantedHeight] = [Math.round(width * scale), Math.round(heightPixels * scale)];
  if (canvas.width !== wantedWidth) canvas.width = wantedWidth;
  if (canvas.height !== wantedHeight) canvas.height = wantedHeight;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, heightPixels);
  const style = getComputedStyle(canvas);
  const count = Math.max(1, Math.floor(width / (barPixels + gapPixels)));
  for (const [index, height] of barsOf(peaks, count).entries()) {
    const pixels = Math.max(2, height * (heightPixels - 4));
    context.fillStyle = style.getPropertyValue((index + 0.5) / count <= played ? '--played' : '--unplayed');
    context.beginPath();
    context.roundRect(index * (barPixels + gapPixels), (heightPixels - pixels) / 2, barPixels, pixels, barPixels / 2);
    context.fill();
  }
}
