import { expect, test } from 'vitest';
import { compareFields, type LumaPicture } from '../../../../../engine/source/pictures/scan/compare-fields.ts';
import {
  isPlainlyProgressive,
  judgePlace,
  judgeScan,
  type Scan,
} from '../../../../../engine/source/pictures/scan/judge-scan.ts';

const [width, height, count] = [64, 96, 26];

/** Luma of a scene at a position and a time in fields. */
type Scene = (x: number, y: number, field: number) => number;

/** Soft shapes in all directions. */
const seen: (x: number, y: number) => number = (x, y) =>
  128 + 45 * Math.sin(x * 0.31 + y * 0.07) + 40 * Math.sin(y * 0.43 - x * 0.11) + 30 * Math.sin(y * 0.19 + x * 0.23);

/** Moves by these lines per field, down and sideways. */
const moving =
  (down: number, aside: number): Scene =>
  (x, y, field) =>
    seen(x + aside * field, y + down * field);
const scenes: Record<string, Scene> = {
  'a camera that turns': moving(0.3, 2.5),
  'titles that go up': moving(2.2, 0),
  'titles that go up fast': moving(3, 0),
  'a letter on grey': (x, y, field) =>
    Math.abs(x - 10 - field) < 9 && Math.abs(y - 40) < 20 ? seen(x - field, y) : 128,
};

function film(momentOf: (picture: number, isUpper: boolean) => number, scene: Scene): LumaPicture[] {
  return Array.from({ length: count }, (_, picture) => {
    const pixels = Uint8Array.from({ length: width * height }, (_pixel, at) => {
      const y = Math.floor(at / width);
      return scene(at % width, y, momentOf(picture, y % 2 === 0));
    });
    return { width, height, pixels };
  });
}

const compare = (pictures: readonly LumaPicture[]) =>
  pictures.slice(1).map((picture, index) => compareFields(pictures[index] ?? picture, picture));

const judge = (pictures: readonly LumaPicture[], canBeTelecined = true): Scan | undefined =>
  judgePlace(compare(pictures), canBeTelecined);

const whole = (picture: number): number => picture * 2;
const upperFirst = (picture: number, isUpper: boolean): number => picture * 2 + (isUpper ? 0 : 1);
const lowerFirst = (picture: number, isUpper: boolean): number => picture * 2 + (isUpper ? 1 : 0);
/** Picture of the film that a field shows; pictures last two and three fields in turn. */
const telecined = (moment: number): number => {
  const [cycle, place] = [Math.floor(moment / 5), moment % 5];
  return (cycle * 2 + (place < 2 ? 0 : 1)) * 2.5;
};

test.each(Object.entries(scenes))('the fields of %s reveal how its pictures were made', (_, scene) => {
  expect(judge(film(whole, scene))).toEqual({ kind: 'progressive' });
  expect(judge(film(upperFirst, scene))).toEqual({ kind: 'interlaced', order: 'upper first' });
  expect(judge(film(lowerFirst, scene))).toEqual({ kind: 'interlaced', order: 'lower first' });
  expect(judge(film((picture, isUpper) => telecined(upperFirst(picture, isUpper) + 1), scene))).toEqual({
    kind: 'telecined',
    order: 'upper first',
  });
  expect(judge(film((picture, isUpper) => telecined(lowerFirst(picture, isUpper)), scene))).toEqual({
    kind: 'telecined',
    order: 'lower first',
  });
});

test.each(Object.entries(scenes))(
  'nine pictures of %s, from any position, are plainly progressive only if all are',
  (_, scene) => {
    const glances = (pictures: LumaPicture[]) =>
      Array.from({ length: 10 }, (_first, from) => isPlainlyProgressive(compare(pictures.slice(from, from + 9))));
    expect(glances(film(whole, scene))).not.toContain(false);
    expect(glances(film(upperFirst, scene))).not.toContain(true);
    expect(glances(film((picture, isUpper) => telecined(upperFirst(picture, isUpper)), scene))).not.toContain(true);
    expect(glances(film((picture, isUpper) => telecined(lowerFirst(picture, isUpper)), scene))).not.toContain(true);
    const half = [...film(whole, scene).slice(0, 5), ...film(upperFirst, scene)];
    expect(isPlainlyProgressive(compare(half.slice(0, 9)))).toBe(false);
  },
);

test.each<[string, Scene]>([
  ['stands still', (x, y) => seen(x, y)],
  ['is black', () => 16],
  ['has thin lines that change places', (_x, y, field) => ((y + Math.floor(field / 2)) % 2 === 0 ? 30 : 220)],
  [
    'has each line twice and goes up by two',
    (x, y, field) => (seen(x, Math.floor((y + field) / 2) * 7) > 128 ? 220 : 30),
  ],
])('a film that %s is not taken for interlaced', (_, scene) => {
  expect([undefined, 'progressive']).toContain(judge(film(whole, scene))?.kind);
});

/** Drawings held for two pictures of the film, from an even or an odd one on. */
const drawn =
  (first: number) =>
  (moment: number): number =>
    Math.floor((telecined(moment) / 2.5 + first) / 2) * 2 * 2.5;

test.each([0, 1])('drawings held for two frames, from picture %i on, are recognised as telecined', (first) => {
  const at = drawn(first);
  expect(judge(film((picture, isUpper) => at(upperFirst(picture, isUpper)), moving(0.3, 2.5)))).toEqual({
    kind: 'telecined',
    order: 'upper first',
  });
  expect(judge(film((picture, isUpper) => at(lowerFirst(picture, isUpper)), moving(0.3, 2.5)))).toEqual({
    kind: 'telecined',
    order: 'lower first',
  });
});

test('a film of 25 pictures per second is never taken for telecined', () => {
  const pictures = film((picture, isUpper) => telecined(upperFirst(picture, isUpper)), moving(0.3, 2.5));
  expect(judge(pictures, false)?.kind).not.toBe('telecined');
});

const [upper, lower, plain] = [
  { kind: 'interlaced', order: 'upper first' },
  { kind: 'interlaced', order: 'lower first' },
  { kind: 'progressive' },
] as const;

test.each<[string, (Scan | undefined)[], Scan | undefined]>([
  ['none tells', [undefined, undefined], undefined],
  ['all are whole', [plain, undefined, plain], plain],
  ['all are of fields', [upper, undefined, upper], upper],
  ['some are whole', [upper, plain, upper], { kind: 'mixed', order: 'upper first' }],
  ['they are of two orders', [lower, upper, lower], { kind: 'mixed', order: 'lower first' }],
  ['one was telecined', [{ kind: 'telecined', order: 'lower first' }, plain], { kind: 'mixed', order: 'lower first' }],
])('several places of a film are combined where %s', (_, places, scan) => {
  expect(judgeScan(places)).toEqual(scan);
});

/** Every eighth line is white; all white lines are in the upper field. */
const ruled: Scene = (_x, y) => (y % 8 === 0 ? 235 : 16);
const ofScanLines: Scene = (x, y) => (y % 2 === 0 ? seen(x, y) : 16);

test.each([
  ['fades in', ruled, (picture: number) => Math.min(1, picture / 8)],
  ['fades out', ruled, (picture: number) => Math.max(0, 1 - picture / 15)],
  ['flashes', ruled, (picture: number) => (picture % 7 < 4 ? 0 : 1)],
  ['fades in with dark lines between all others', ofScanLines, (picture: number) => Math.min(1, picture / 12)],
])('a ruled picture that %s is not taken for interlaced', (_, scene, light) => {
  const pictures = film(whole, scene).map((picture, at) => ({
    ...picture,
    pixels: picture.pixels.map((pixel) => 16 + Math.round((pixel - 16) * light(at))),
  }));
  expect(judge(pictures)?.kind ?? 'progressive').toBe('progressive');
});
