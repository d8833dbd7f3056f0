import { buildPage, pageHeaderSize, readPageHeader } from '../../../engine/formats/ogg/page.ts';
import { lossyKind, type Kind } from '../kind.ts';
import { laced } from '../laced.ts';
import { edited, signal, transcoded, words } from '../recipe.ts';

const mono = signal();
const stereo = signal({ channels: 2 });
const wide = signal({ channels: 6, sampleRate: 48_000 });
const telephone = signal({ sampleRate: 8000 });

/** Blocks of 80 ms: seeks by the index skip 66 ms. */
const shortPackets = words('-c:a libopus -frame_duration 10 -cluster_time_limit 1190 -live 1');

/** Samples of Vorbis before the zero of a file that was cut from a longer one: 40 ms. */
const earlySamples = 1764;

function begunEarly(whole: Buffer): Buffer {
  const pages: Buffer[] = [];
  for (let at = 0; at < whole.length;) {
    const header = readPageHeader(whole.subarray(at));
    const from = at + pageHeaderSize + header.lacing.length;
    at = header.lacing.reduce((sum, value) => sum + value, from);
    const granulePosition = Math.max(0, header.granulePosition - earlySamples);
    pages.push(buildPage({ ...header, granulePosition }, whole.subarray(from, at)));
  }
  return Buffer.concat(pages);
}

export const lossyKinds: readonly Kind[] = [
  lossyKind('mp3/128 kbit/s', transcoded(stereo, '.mp3', '-b:a', '128k')),
  lossyKind('mp3/variable', transcoded(stereo, '.mp3', '-q:a', '4')),
  lossyKind('mp3/no Info frame', transcoded(stereo, '.mp3', '-b:a', '96k', '-write_xing', '0')),
  lossyKind('mp3/variable, no Info frame', transcoded(stereo, '.mp3', '-q:a', '5', '-write_xing', '0')),
  lossyKind('mp3/22.05 kHz', transcoded(signal({ sampleRate: 22_050 }), '.mp3', '-b:a', '48k')),
  lossyKind('mp3/8 kHz', transcoded(telephone, '.mp3', '-b:a', '16k')),
  lossyKind('mp3/in WAV', transcoded(stereo, '.wav', '-c:a', 'libmp3lame', '-b:a', '128k')),
  lossyKind('mp3/in AVI', transcoded(stereo, '.avi', '-c:a', 'libmp3lame')),
  lossyKind('mp2/in itself', transcoded(stereo, '.mp2', '-b:a', '192k')),
  lossyKind('aac/m4a', transcoded(stereo, '.m4a')),
  lossyKind('aac/m4a with its index first', transcoded(mono, '.m4a', '-movflags', '+faststart')),
  lossyKind('aac/fragmented mp4', transcoded(mono, '.mp4', '-movflags', '+frag_keyframe+empty_moov')),
  lossyKind('aac/ADTS', transcoded(stereo, '.aac')),
  lossyKind('aac/Matroska', transcoded(stereo, '.mka', '-c:a', 'aac')),
  lossyKind('aac/MPEG-TS', transcoded(stereo, '.ts', '-c:a', 'aac')),
  lossyKind('aac/FLV', transcoded(stereo, '.flv', '-c:a', 'aac')),
  lossyKind('aac/5.1', transcoded(wide, '.m4a', '-b:a', '320k')),
  lossyKind('aac/8 kHz', transcoded(telephone, '.m4a')),
  lossyKind('opus/Ogg', transcoded(stereo, '.ogg', '-c:a', 'libopus')),
  lossyKind('opus/WebM', transcoded(stereo, '.webm', '-c:a', 'libopus')),
  lossyKind('opus/mp4', transcoded(stereo, '.mp4', '-c:a', 'libopus')),
  lossyKind('opus/packets of 60 ms', transcoded(mono, '.ogg', '-c:a', 'libopus', '-frame_duration', '60')),
  lossyKind('opus/packets of 2.5 ms', transcoded(mono, '.ogg', '-c:a', 'libopus', '-frame_duration', '2.5')),
  lossyKind('opus/Matroska, laced', edited(transcoded(stereo, '.mka', ...shortPackets), laced), { isQuick: true }),
  lossyKind('opus/5.1', transcoded(wide, '.ogg', '-c:a', 'libopus')),
  lossyKind('vorbis/Ogg', transcoded(stereo, '.ogg', '-c:a', 'libvorbis')),
  lossyKind('vorbis/cut from a longer file', edited(transcoded(stereo, '.ogg', '-c:a', 'libvorbis'), begunEarly), {
    isQuick: true,
  }),
  lossyKind('vorbis/Matroska', transcoded(stereo, '.mka', '-c:a', 'libvorbis')),
  lossyKind('vorbis/5.1', transcoded(wide, '.ogg', '-c:a', 'libvorbis')),
  lossyKind('ac3/in itself', transcoded(stereo, '.ac3')),
  lossyKind('ac3/5.1', transcoded(wide, '.ac3')),
  lossyKind('eac3/in itself', transcoded(stereo, '.eac3')),
  lossyKind('dts/in itself', transcoded(wide, '.dts')),
  lossyKind('wma/2', transcoded(stereo, '.wma', '-c:a', 'wmav2')),
  lossyKind('wma/1', transcoded(stereo, '.wma', '-c:a', 'wmav1')),
  lossyKind('adpcm/Microsoft WAV', transcoded(stereo, '.wav', '-c:a', 'adpcm_ms')),
  lossyKind('adpcm/IMA WAV', transcoded(stereo, '.wav', '-c:a', 'adpcm_ima_wav')),
  lossyKind('speex/Ogg', transcoded(signal({ sampleRate: 16_000 }), '.ogg', '-c:a', 'libspeex')),
  lossyKind('gsm/WAV', transcoded(telephone, '.wav', '-c:a', 'libgsm_ms')),
];
