import { lossyKind, losslessKind, placed, type Kind } from '../kind.ts';
import { joined, signal, transcoded, type Recipe } from '../recipe.ts';

type Make = (input: Recipe) => Recipe;

const ogg =
  (...codec: string[]): Make =>
  (input) =>
    transcoded(input, '.ogg', ...codec);

const first = signal({ seconds: 3.01, channels: 2, seed: 1 });
const second = signal({ seconds: 4.03, channels: 2, seed: 2 });
const third = signal({ seconds: 2.02, channels: 2, seed: 3 });
const slower = signal({ seconds: 4.03, channels: 2, seed: 2, sampleRate: 22_050 });

/** Joined parts, each of which should sound as it does alone. */
function parts(make: Make, ...inputs: readonly Recipe[]): { source: Recipe; reference: readonly Recipe[] } {
  const reference = inputs.map(make);
  return { source: joined(...reference), reference };
}

function lossyJoin(name: string, { source, reference }: ReturnType<typeof parts>, facts: Partial<Kind> = {}): Kind {
  return lossyKind(name, source, { reference, encode: placed, ...facts });
}

const flac: Make = (input) => transcoded(input, '.flac', '-sample_fmt', 's16');
const joinedFlac = parts(flac, first, second);
const oggFlac: Make = (input) => transcoded(input, '.oga', '-c:a', 'flac', '-sample_fmt', 's16');
const chainedFlac = parts(oggFlac, first, second);

const joinedMp3 =
  (...args: string[]): Make =>
  (input) =>
    transcoded(input, '.mp3', ...args);

export const joinKinds: readonly Kind[] = [
  // Plain ffmpeg also decodes the delay and padding of each part, because an mp3 does not declare that it is joined.
  lossyKind('joined/mp3', parts(joinedMp3('-write_xing', '0'), first, second).source),
  lossyKind('joined/mp3 with Info frames', parts(joinedMp3('-b:a', '128k'), first, second).source),
  lossyKind('joined/mp3 of two rates', parts(joinedMp3(), first, slower).source, { encode: placed }),
  lossyJoin(
    'joined/ADTS',
    parts((input) => transcoded(input, '.aac'), first, second),
  ),
  lossyJoin(
    'joined/AC-3',
    parts((input) => transcoded(input, '.ac3'), first, second),
  ),
  lossyJoin(
    'joined/MPEG-TS',
    parts((input) => transcoded(input, '.ts', '-c:a', 'aac'), first, second),
  ),
  lossyJoin(
    'joined/MPEG-TS of two rates',
    parts((input) => transcoded(input, '.ts', '-c:a', 'aac'), first, slower),
  ),
  losslessKind('joined/FLAC', joinedFlac.source, {
    reference: joinedFlac.reference,
  }),
  lossyJoin('chained/Opus', parts(ogg('-c:a', 'libopus'), first, second), {
    isQuick: true,
  }),
  lossyJoin('chained/Opus, three parts', parts(ogg('-c:a', 'libopus'), first, second, third)),
  lossyJoin('chained/Vorbis', parts(ogg('-c:a', 'libvorbis'), first, second)),
  lossyJoin('chained/Vorbis of two rates', parts(ogg('-c:a', 'libvorbis'), first, slower)),
  losslessKind('chained/FLAC', chainedFlac.source, {
    reference: chainedFlac.reference,
  }),
];
