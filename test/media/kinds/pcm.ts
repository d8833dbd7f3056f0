import { losslessKind, near, refused, type Kind } from '../kind.ts';
import { edited, shortened, signal, transcoded } from '../recipe.ts';
import { chunk } from '../wav.ts';

const mono = signal();
const stereo = signal({ channels: 2, sampleRate: 48_000 });
const telephone = signal({ sampleRate: 8000 });

const wav16 = transcoded(mono, '.wav', '-c:a', 'pcm_s16le');

/** Replaces the sizes of the RIFF and data chunks, as a writer to a pipe must. */
function streamed(size: number) {
  return edited(
    wav16,
    (whole) => {
      const bytes = Buffer.from(whole);
      bytes.writeUInt32LE(size, 4);
      bytes.writeUInt32LE(size, bytes.indexOf('data') + 4);
      return bytes;
    },
    size,
  );
}

const withList = edited(wav16, (whole) => {
  const data = whole.indexOf('data');
  return Buffer.concat([whole.subarray(0, data), chunk('LIST', Buffer.alloc(90_001, 'INFO')), whole.subarray(data)]);
});

const withTail = edited(wav16, (whole) => Buffer.concat([whole, chunk('junk', Buffer.alloc(3001, 7))]));

export const pcmKinds: readonly Kind[] = [
  losslessKind('wav/16 bit', wav16, { isQuick: true }),
  losslessKind('wav/8 bit', transcoded(mono, '.wav', '-c:a', 'pcm_u8')),
  losslessKind('wav/24 bit stereo', transcoded(stereo, '.wav', '-c:a', 'pcm_s24le')),
  losslessKind('wav/32 bit', transcoded(stereo, '.wav', '-c:a', 'pcm_s32le')),
  losslessKind('wav/floating point', mono),
  losslessKind('wav/double precision', transcoded(mono, '.wav', '-c:a', 'pcm_f64le')),
  losslessKind('wav/8 kHz', transcoded(telephone, '.wav', '-c:a', 'pcm_s16le')),
  losslessKind('wav/11.025 kHz', transcoded(signal({ sampleRate: 11_025 }), '.wav')),
  losslessKind('wav/96 kHz, 24 bit', transcoded(signal({ sampleRate: 96_000 }), '.wav', '-c:a', 'pcm_s24le')),
  losslessKind('wav/192 kHz, 24 bit', transcoded(signal({ sampleRate: 192_000 }), '.wav', '-c:a', 'pcm_s24le')),
  losslessKind('wav/a rate of its own', transcoded(signal({ sampleRate: 37_811 }), '.wav')),
  losslessKind('wav/quad', transcoded(signal({ channels: 4 }), '.wav', '-channel_layout', 'quad')),
  losslessKind('wav/5.1', transcoded(signal({ channels: 6, sampleRate: 48_000 }), '.wav')),
  losslessKind('wav/7.1', transcoded(signal({ channels: 8, sampleRate: 16_000 }), '.wav')),
  losslessKind('wav/12 channels of unknown speakers', signal({ channels: 12 }), {
    encode: refused('unsupported_format'),
  }),
  losslessKind('wav/mu-law', transcoded(telephone, '.wav', '-c:a', 'pcm_mulaw')),
  losslessKind('wav/a-law', transcoded(telephone, '.wav', '-c:a', 'pcm_alaw')),
  losslessKind('wav/size 0', streamed(0)),
  losslessKind('wav/size 0xFFFFFFFF', streamed(0xff_ff_ff_ff), { isQuick: true }),
  losslessKind('wav/size 0x7FFFF000', streamed(0x7f_ff_f0_00)),
  losslessKind('wav/a list of 90 kB first', withList),
  losslessKind('wav/a chunk after the data', withTail),
  losslessKind('wav/a tenth of a second missing', shortened(wav16, 0.985)),
  losslessKind('wav/RF64', transcoded(stereo, '.wav', '-rf64', 'always')),
  losslessKind('w64/16 bit', transcoded(stereo, '.w64', '-c:a', 'pcm_s16le')),
  losslessKind('aiff/16 bit', transcoded(stereo, '.aiff', '-c:a', 'pcm_s16be')),
  losslessKind('aiff/24 bit', transcoded(mono, '.aiff', '-c:a', 'pcm_s24be')),
  losslessKind('aiff/little-endian', transcoded(mono, '.aiff', '-c:a', 'pcm_s16le')),
  losslessKind('au/16 bit', transcoded(stereo, '.au', '-c:a', 'pcm_s16be')),
  losslessKind('au/mu-law', transcoded(telephone, '.au', '-c:a', 'pcm_mulaw'), { encode: near }),
  losslessKind('caf/16 bit', transcoded(stereo, '.caf', '-c:a', 'pcm_s16be')),
  losslessKind('caf/24 bit', transcoded(mono, '.caf', '-c:a', 'pcm_s24le')),
];
