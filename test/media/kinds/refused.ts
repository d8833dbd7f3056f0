import { refusedKind, type Kind } from '../kind.ts';
import { bytes, signal, shortened, transcoded, words } from '../recipe.ts';
import { wavFile } from '../wav.ts';

const stereo = signal({ channels: 2, seconds: 12 });

function half(name: string, extension: string, ...args: readonly string[]): Kind {
  return refusedKind(`half/${name}`, shortened(transcoded(stereo, extension, ...args), 0.5), 'source_truncated');
}

const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x120:r=10:d=2'];

/** Files without sound, and truncated files. */
export const refusedKinds: readonly Kind[] = [
  half('WAV', '.wav', '-c:a', 'pcm_s16le'),
  half('W64', '.w64'),
  half('AIFF', '.aiff'),
  half('AU', '.au'),
  half('CAF', '.caf'),
  half('FLAC', '.flac'),
  half('WavPack', '.wv'),
  half('TTA', '.tta'),
  half('mp3', '.mp3', '-b:a', '128k'),
  half('mp3, variable', '.mp3', '-q:a', '4'),
  half('m4a with its index first', '.m4a', '-movflags', '+faststart'),
  half('Matroska', '.mka', '-c:a', 'libvorbis'),
  half('WebM', '.webm', '-c:a', 'libopus'),
  half('WMA', '.wma'),
  half('AVI', '.avi', '-c:a', 'libmp3lame'),
  half('FLV', '.flv', '-c:a', 'aac'),
  refusedKind('half/m4a with its index last', shortened(transcoded(stereo, '.m4a'), 0.5), 'undecodable_source'),
  refusedKind(
    'not sound/empty',
    bytes('.mp3', () => Buffer.alloc(0)),
    'undecodable_source',
  ),
  refusedKind(
    'not sound/zeros',
    bytes('.wav', () => Buffer.alloc(100_000)),
    'undecodable_source',
  ),
  refusedKind(
    'not sound/text',
    bytes('.mp3', () => Buffer.from('Not music, but words. '.repeat(500))),
    'undecodable_source',
  ),
  refusedKind(
    'not sound/playlist',
    bytes('.mp3', () => Buffer.from('#EXTM3U\n#EXTINF:9,\nfile:///etc/passwd\n')),
    'undecodable_source',
  ),
  refusedKind(
    'not sound/picture',
    transcoded(stereo, '.png', ...picture, '-map', '1', '-frames:v', '1'),
    'unsupported_format',
  ),
  refusedKind(
    'not sound/animated WebP',
    transcoded(stereo, '.webp', ...words('-f lavfi -i testsrc=d=1:s=64x64:r=5 -map 1 -c:v libwebp_anim')),
    'unsupported_format',
  ),
  refusedKind('not sound/mute video', transcoded(stereo, '.mp4', ...picture, '-map', '1'), 'no_audio'),
  refusedKind(
    'not sound/WAV of 7 Hz',
    bytes('.wav', () => wavFile({ tag: 1, channels: 1, sampleRate: 7, bitsPerSample: 16 }, Buffer.alloc(9000, 5))),
    'undecodable_source',
  ),
  refusedKind(
    'not sound/WAV of no length',
    bytes('.wav', () => wavFile({ tag: 1, channels: 1, sampleRate: 8000, bitsPerSample: 16 }, Buffer.alloc(0))),
    'undecodable_source',
  ),
];
