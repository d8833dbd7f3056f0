import { formatPlace } from './format-place.ts';

/** Characters from one place to the next that is named. */
const step = 16;

/** Places in time below a line of so many characters (pure). */
export function timeAxis(seconds: number, width: number): string {
  let line = '';
  for (let column = 0; column + step <= width; column += step) {
    const [place = ''] = formatPlace((column / width) * seconds).split('.');
    line += `╵${place}`.padEnd(step);
  }
  return line.trimEnd();
}
