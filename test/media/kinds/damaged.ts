import { lossyKind, placed, type Kind } from '../kind.ts';
import { edited, signal, transcoded, type Recipe } from '../recipe.ts';

const stereo = signal({ channels: 2 });

/** Zeroes a share of the bytes, starting at another share. */
function zeroed(input: Recipe, from: number, share: number): Recipe {
  return edited(
    input,
    (whole) => {
      const start = Math.round(whole.length * from);
      return Buffer.from(whole).fill(0, start, start + Math.round(whole.length * share));
    },
    from,
    share,
  );
}

/** Removes a share of the bytes, starting at another share. */
function missing(input: Recipe, from: number, share: number): Recipe {
  return edited(
    input,
    (whole) => {
      const start = Math.round(whole.length * from);
      return Buffer.concat([whole.subarray(0, start), whole.subarray(start + Math.round(whole.length * share))]);
    },
    from,
    share,
  );
}

const junk = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919 + 31) % 251));
const withJunk = (input: Recipe): Recipe => edited(input, (whole) => Buffer.concat([junk, whole, junk]));

const flac = transcoded(stereo, '.flac', '-sample_fmt', 's16');
const mp3 = transcoded(stereo, '.mp3', '-b:a', '128k');
// Pages of 0.1 s, because a damaged page is lost entirely.
const opus = transcoded(stereo, '.ogg', '-c:a', 'libopus', '-page_duration', '100000');
const adts = transcoded(stereo, '.aac');

export const damagedKinds: readonly Kind[] = [
  // FLAC frames and Ogg pages contain their position, so sound after the damage keeps its place.
  lossyKind('damaged/FLAC, zeros', zeroed(flac, 0.3, 0.02), { reference: [flac], encode: placed }),
  lossyKind('damaged/FLAC, a part missing', missing(flac, 0.3, 0.02), { reference: [flac], encode: placed }),
  lossyKind('damaged/Ogg, zeros', zeroed(opus, 0.3, 0.02), { reference: [opus], encode: placed }),
  lossyKind('damaged/mp3, zeros', zeroed(mp3, 0.3, 0.02), { encode: placed }),
  lossyKind('damaged/ADTS, zeros', zeroed(adts, 0.3, 0.02), { encode: placed }),
  lossyKind('damaged/mp3 between junk', withJunk(mp3), { encode: placed }),
  lossyKind('damaged/ADTS between junk', withJunk(adts), { encode: placed }),
];
