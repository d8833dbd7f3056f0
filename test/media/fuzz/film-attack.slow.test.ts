import { expect, test } from 'vitest';
import { allowedPictureDecoders } from '../../../engine/ffmpeg/allowed.ts';
import { attackDecoder, kindOfDecoder } from './film-attack.ts';
import { Fuzz } from './fuzz.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

/** `npm run check:fuzz -- films` tries any number. */
const seed = 20_261_122;

const fuzz = await stopAfterAll(Fuzz.start());

test('attacks every video decoder for which ffmpeg has an encoder', () => {
  const attacked = Object.keys(kindOfDecoder);
  expect(allowedPictureDecoders.filter((decoder) => !attacked.includes(decoder))).toEqual(['vc1', 'vp6f', 'wmv3']);
});

test('damaged films never crash or hang the container, leave files, or yield a wrong length', async () => {
  const faults: string[] = [];
  for (const [index, decoder] of Object.keys(kindOfDecoder).entries()) {
    const { fault } = await attackDecoder(fuzz, decoder, seed + index);
    if (fault !== undefined) faults.push(fault);
  }
  expect([...faults, ...(await fuzz.findLeftovers())]).toEqual([]);
}, 600_000);
