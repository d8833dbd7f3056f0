/** An exact fraction: frames per second, or seconds per clock tick. */
export interface Rational {
  num: number;
  den: number;
}

/** Parses `30000/1001` or `1:1`; undefined if it is malformed or zero. */
export function parseRational(text: string | undefined): Rational | undefined {
  const match = /^(\d+)[/:](\d+)$/.exec(text ?? '');
  const [num, den] = [Number(match?.[1]), Number(match?.[2])];
  return num > 0 && den > 0 ? { num, den } : undefined;
}

/** The fraction that people mean by 29.97 or 25. */
export function rationalOfFps(fps: number): Rational {
  if (Number.isInteger(fps)) return { num: fps, den: 1 };
  const ntsc = Math.round(fps * 1.001);
  if (Math.abs((ntsc * 1000) / 1001 - fps) < 0.005) return { num: ntsc * 1000, den: 1001 };
  return { num: Math.round(fps * 1000), den: 1000 };
}

export function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}

export function valueOf({ num, den }: Rational): number {
  return num / den;
}

/** Formats the fraction for ffmpeg. */
export function rationalText({ num, den }: Rational): string {
  return `${num}/${den}`;
}
