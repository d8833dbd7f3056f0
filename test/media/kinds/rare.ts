import { losslessKind, lossyKind, type Kind } from '../kind.ts';
import { signal, transcoded } from '../recipe.ts';

const stereo = signal({ channels: 2, sampleRate: 48_000 });
const mono = signal();
const telephone = signal({ sampleRate: 8000 });
const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x120:r=25:d=6', '-map', '1', '-map', '0'];

function withVideo(name: string, extension: string, ...codecs: readonly string[]): Kind {
  return lossyKind(`video/${name}`, transcoded(stereo, extension, ...picture, ...codecs));
}

export const rareKinds: readonly Kind[] = [
  withVideo('H.264 and AAC in mp4', '.mp4', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'),
  withVideo('VP8 and Opus in WebM', '.webm', '-c:v', 'libvpx', '-c:a', 'libopus'),
  withVideo('MPEG-2 and AC-3 in MPEG-TS', '.ts', '-c:v', 'mpeg2video', '-c:a', 'ac3'),
  withVideo('MPEG-4 and mp3 in AVI', '.avi', '-c:v', 'mpeg4', '-c:a', 'libmp3lame'),
  withVideo('Flash video and AAC in FLV', '.flv', '-c:v', 'flv', '-c:a', 'aac'),
  lossyKind('rare/MXF', transcoded(stereo, '.mxf', ...picture, '-c:v', 'mpeg2video', '-c:a', 'pcm_s16le')),
  losslessKind('rare/NUT', transcoded(stereo, '.nut', '-c:a', 'pcm_s16le')),
  losslessKind('rare/VOC', transcoded(mono, '.voc', '-c:a', 'pcm_u8')),
  lossyKind('rare/LATM', transcoded(stereo, '.latm', '-c:a', 'aac')),
  losslessKind('rare/raw TrueHD', transcoded(stereo, '.thd', '-c:a', 'truehd')),
  lossyKind('rare/G.726 in WAV', transcoded(telephone, '.wav', '-c:a', 'g726')),
  lossyKind('rare/G.722 in WAV', transcoded(signal({ sampleRate: 16_000 }), '.wav', '-c:a', 'g722')),
  lossyKind('rare/G.723.1 in WAV', transcoded(telephone, '.wav', '-c:a', 'g723_1', '-b:a', '6300')),
  lossyKind('rare/ADPCM of Yamaha in WAV', transcoded(mono, '.wav', '-c:a', 'adpcm_yamaha')),
  lossyKind('rare/ADPCM IMA in QuickTime', transcoded(mono, '.mov', '-c:a', 'adpcm_ima_qt')),
  lossyKind('rare/SMPTE 302M in MPEG-TS', transcoded(stereo, '.ts', '-c:a', 's302m')),
  lossyKind('rare/PCM of a Blu-ray', transcoded(stereo, '.m2ts', '-c:a', 'pcm_bluray')),
];
