import type { PresetView } from '../state/session.ts';
import { hasPictures } from '../words/preset-groups.ts';
import { placeOfStill } from '../words/still-place.ts';

/** Size of the drawing. */
const [width, height] = [72, 48];
const bars = [9, 20, 13, 30, 22, 34, 16, 26, 11];

/** A drawing of a result: the shape of its picture, or a waveform. A package is a stack. */
export function PresetPicture({ preset }: { preset: PresetView }) {
  const isFilm = hasPictures(preset);
  const layers = preset.package === undefined ? [0] : [8, 4, 0];
  return (
    <svg class="picture" viewBox={`0 0 ${width} ${height}`}>
      {layers.map((shift) =>
        isFilm ? (
          <Film key={shift} preset={preset} shift={shift} />
        ) : (
          <Sound key={shift} preset={preset} shift={shift} />
        ),
      )}
    </svg>
  );
}

function Film({ preset: { video }, shift }: { preset: PresetView; shift: number }) {
  const room = { width: width - 12, height: height - 10 };
  const { shape, whole = shape } = placeOfStill(video || {}, { width: 16, height: 9 }, room);
  const hills = [
    [0, 1],
    [0.35, 0.35],
    [0.55, 0.7],
    [0.7, 0.5],
    [1, 1],
  ].map(([across = 0, down = 0]) => `${whole.x + whole.width * across} ${whole.y + whole.height * down}`);
  return (
    <g transform={`translate(${shift + 2} ${8 - shift})`}>
      <rect class="frame" {...shape} rx="3" />
      <path class="scene" d={`M${hills.join(' L')} Z`} />
    </g>
  );
}

function Sound({ preset: { audio }, shift }: { preset: PresetView; shift: number }) {
  const [track] = audio ? [audio].flat() : [];
  // Lossless sound has all of its details.
  const step = track?.bitrate === undefined && track?.quality === undefined ? 4 : 7;
  const count = Math.floor((width - 16) / step);
  return (
    <>
      {Array.from({ length: count }, (_, index) => {
        const tall = bars[index % bars.length] ?? 0;
        return (
          <rect
            key={index}
            class={shift === 0 ? 'beat' : 'echo'}
            x={6 + index * step + shift}
            y={height / 2 - tall / 2 - shift}
            width={step - 2}
            height={tall}
            rx="1"
          />
        );
      })}
    </>
  );
}
