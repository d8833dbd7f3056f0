import { z } from 'zod';
import { definedFields } from '../../../contract/defined-fields.ts';
import { parseRational, valueOf } from '../../ffmpeg/rational.ts';

/** Mastering display and brightest pictures of an HDR10 film (SMPTE ST 2086, CTA-861.3). */
export interface Mastering {
  screen?: Screen;
  /** Maximum brightness of a pixel, and maximum average brightness of a picture, in cd/m². */
  light?: { brightest: number; brightestAverage: number };
}

/** Points in the CIE 1931 colour space, and brightness in cd/m². */
interface Screen {
  red: Point;
  green: Point;
  blue: Point;
  white: Point;
  darkest: number;
  brightest: number;
}

type Point = readonly [x: number, y: number];

const Fraction = z.string().transform((text, context) => {
  const fraction = parseRational(text);
  if (fraction === undefined) context.addIssue('no fraction');
  return fraction === undefined ? 0 : valueOf(fraction);
});

const ScreenData = z
  .object({
    ...{ red_x: Fraction, red_y: Fraction, green_x: Fraction, green_y: Fraction, blue_x: Fraction, blue_y: Fraction },
    ...{ white_point_x: Fraction, white_point_y: Fraction, min_luminance: Fraction, max_luminance: Fraction },
  })
  .transform((data): Screen => ({
    red: [data.red_x, data.red_y],
    green: [data.green_x, data.green_y],
    blue: [data.blue_x, data.blue_y],
    white: [data.white_point_x, data.white_point_y],
    darkest: data.min_luminance,
    brightest: data.max_luminance,
  }));
const LightData = z
  .object({ max_content: z.number(), max_average: z.number() })
  .transform((data) => ({ brightest: data.max_content, brightestAverage: data.max_average }));

/** Damaged values are dropped, because an encoder would reject them. */
function isScreen({ red, green, blue, white, darkest, brightest }: Screen): boolean {
  const isPlace = [red, green, blue, white].flat().every((value) => value > 0 && value <= 1);
  return isPlace && darkest >= 0 && darkest < brightest && brightest <= 10_000;
}

function isLight({ brightest, brightestAverage }: NonNullable<Mastering['light']>): boolean {
  return [brightest, brightestAverage].every((value) => value > 0 && value <= 10_000);
}

/** Parses ffprobe's side data of a stream and its pictures. */
export function parseMastering(data: readonly unknown[]): Mastering | undefined {
  const screen = data.map((one) => ScreenData.safeParse(one).data).find((one) => one !== undefined && isScreen(one));
  const light = data.map((one) => LightData.safeParse(one).data).find((one) => one !== undefined && isLight(one));
  const mastering = definedFields({ screen, light });
  return Object.keys(mastering).length > 0 ? mastering : undefined;
}

/** Formats for x265, in ST 2086's units of 0.00002 and 0.0001 cd/m². */
export function x265Mastering({ screen, light }: Mastering): string {
  const at = ([x, y]: Point): string => `(${Math.round(x * 50_000)},${Math.round(y * 50_000)})`;
  const luminance = (value: number): number => Math.round(value * 10_000);
  return [
    ':hdr10=1',
    ...(screen === undefined
      ? []
      : [
          `:master-display=G${at(screen.green)}B${at(screen.blue)}R${at(screen.red)}WP${at(screen.white)}`,
          `L(${luminance(screen.brightest)},${luminance(screen.darkest)})`,
        ]),
    ...(light === undefined ? [] : [`:max-cll=${light.brightest},${light.brightestAverage}`]),
  ].join('');
}

/** Formats for SVT-AV1. */
export function svtMastering({ screen, light }: Mastering): string {
  const at = ([x, y]: Point): string => `(${x},${y})`;
  return [
    ...(screen === undefined
      ? []
      : [
          `:mastering-display=G${at(screen.green)}B${at(screen.blue)}R${at(screen.red)}WP${at(screen.white)}`,
          `L(${screen.brightest},${screen.darkest})`,
        ]),
    ...(light === undefined ? [] : [`:content-light=${light.brightest},${light.brightestAverage}`]),
  ].join('');
}

/** True if both are equal within the precision of their formats. */
export function saysTheSame(planned: Mastering, found: Mastering | undefined): boolean {
  const figures = ({ screen, light }: Mastering): number[] => [
    ...(screen === undefined ? [] : [screen.red, screen.green, screen.blue, screen.white].flat()),
    ...(screen === undefined ? [] : [screen.darkest, screen.brightest / 10_000]),
    ...(light === undefined ? [] : [light.brightest, light.brightestAverage]),
  ];
  if (found === undefined) return false;
  const [wanted, got] = [figures(planned), figures(found)];
  return wanted.length === got.length && wanted.every((figure, index) => Math.abs(figure - (got[index] ?? NaN)) < 2e-4);
}
