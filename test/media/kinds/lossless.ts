import { losslessKind, placed, type Kind } from '../kind.ts';
import { laced } from '../laced.ts';
import { edited, signal, transcoded } from '../recipe.ts';

const stereo = signal({ channels: 2 });

export const losslessKinds: readonly Kind[] = [
  losslessKind('flac/16 bit', transcoded(stereo, '.flac', '-sample_fmt', 's16')),
  losslessKind('flac/24 bit', transcoded(stereo, '.flac', '-sample_fmt', 's32')),
  losslessKind('flac/5.1', transcoded(signal({ channels: 6, sampleRate: 48_000 }), '.flac')),
  losslessKind('flac/in Ogg', transcoded(stereo, '.oga', '-c:a', 'flac')),
  // Matroska's timestamps have milliseconds.
  losslessKind('flac/in Matroska', transcoded(stereo, '.mka', '-c:a', 'flac'), { chunk: placed }),
  losslessKind('flac/in mp4', transcoded(stereo, '.mp4', '-c:a', 'flac')),
  losslessKind('alac/16 bit', transcoded(stereo, '.m4a', '-c:a', 'alac', '-sample_fmt', 's16p'), { isQuick: true }),
  losslessKind('alac/24 bit', transcoded(stereo, '.m4a', '-c:a', 'alac', '-sample_fmt', 's32p')),
  losslessKind('alac/in CAF', transcoded(stereo, '.caf', '-c:a', 'alac')),
  losslessKind('alac/in Matroska, laced', edited(transcoded(stereo, '.mka', '-c:a', 'alac', '-live', '1'), laced), {
    isQuick: true,
  }),
  losslessKind('wavpack/16 bit', transcoded(stereo, '.wv', '-sample_fmt', 's16p')),
  losslessKind('wavpack/floating point', transcoded(stereo, '.wv', '-sample_fmt', 'fltp')),
  losslessKind('tta/16 bit', transcoded(stereo, '.tta', '-sample_fmt', 's16')),
  losslessKind('mlp/24 bit', transcoded(signal({ sampleRate: 48_000 }), '.mka', '-c:a', 'mlp')),
  losslessKind('truehd/in Matroska', transcoded(signal({ sampleRate: 48_000, channels: 2 }), '.mka', '-c:a', 'truehd')),
];
