import type { LoudnessFacts } from './http/loudness.ts';

type Figures = Pick<LoudnessFacts, 'integrated' | 'truePeak' | 'range'>;

function describeFigures({ integrated, truePeak, range }: Figures): string {
  return integrated === null || truePeak === null
    ? 'no loudness'
    : `${integrated.toFixed(1)} LUFS, peaks at ${truePeak.toFixed(1)} dBTP, range ${range.toFixed(1)} LU`;
}

/** Lines for people: "-16.0 LUFS, peaks at -1.4 dBTP, range 5.2 LU · before: -24.6 LUFS, … · +8.6 dB", and the note. */
export function describeLoudness({ source, gain, note, ...file }: LoudnessFacts): string[] {
  const change = `${gain > 0 ? '+' : ''}${gain.toFixed(1)} dB`;
  const figures = `${describeFigures(file)} · before: ${describeFigures(source)} · ${change}`;
  return note === undefined ? [figures] : [figures, note];
}
