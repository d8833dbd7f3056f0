import { expect, test } from 'vitest';
import { allowedPictureDecoders } from '../../../engine/ffmpeg/allowed.ts';
import { attackDecoder, kindOfDecoder } from './film-attack.ts';
import { Fuzz } from './fuzz.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';
import { rowsExcept } from '../../support/rows.ts';

/** `npm run check:fuzz -- films` tries any number. */
const seed = 20_261_122;

const decoders = Object.keys(kindOfDecoder);

/** Decoders that other tests use: only `npm run check:matrix` attacks them. */
const matrixDecoders = ['ffv1', 'flv', 'mjpeg', 'png', 'prores', 'rawvideo', 'wmv2'];

const fuzz = await stopAfterAll(Fuzz.start());

test('attacks every video decoder for which ffmpeg has an encoder', () => {
  expect(allowedPictureDecoders.filter((decoder) => !decoders.includes(decoder))).toEqual(['vc1', 'vp6f', 'wmv3']);
});

test('damaged films never crash or hang the container, leave files, or yield a wrong length', async () => {
  const faults: string[] = [];
  for (const decoder of rowsExcept(matrixDecoders, decoders)) {
    const { fault } = await attackDecoder(fuzz, decoder, seed + decoders.indexOf(decoder));
    if (fault !== undefined) faults.push(fault);
  }
  expect([...faults, ...(await fuzz.findLeftovers())]).toEqual([]);
}, 600_000);
