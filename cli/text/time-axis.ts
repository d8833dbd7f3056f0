import { formatPlace } from './format-place.ts';

/** Characters between two labels. */
const step = 16;

export function timeAxis(seconds: number, width: number): string {
  let line = '';
  for (let column = 0; column + step <= width; column += step) {
    const [place = ''] = formatPlace((column / width) * seconds).split('.');
    line += `╵${place}`.padEnd(step);
  }
  return line.trimEnd();
}
