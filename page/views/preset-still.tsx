import { useEffect, useRef } from 'preact/hooks';
import type { PresetView } from '../state/session.ts';
import { placeOfStill } from '../words/still-place.ts';

/** Pixels of the drawing; the page shows it at half of this size. */
const size = { width: 144, height: 96 };

/** A picture of the film as a preset would frame it. */
export function PresetStill({ preset, frame }: { preset: PresetView; frame: ImageBitmap }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    const { shape, whole, fill } = placeOfStill(preset.video || {}, frame, size);
    context.clearRect(0, 0, size.width, size.height);
    context.save();
    context.beginPath();
    context.roundRect(shape.x, shape.y, shape.width, shape.height, 8);
    context.clip();
    if (fill !== undefined) {
      context.filter = whole === undefined ? 'none' : 'blur(6px)';
      context.drawImage(frame, fill.x, fill.y, fill.width, fill.height);
      context.filter = 'none';
    }
    if (whole !== undefined) context.drawImage(frame, whole.x, whole.y, whole.width, whole.height);
    context.restore();
  }, [preset, frame]);
  return <canvas ref={canvas} class="picture" width={size.width} height={size.height} />;
}
