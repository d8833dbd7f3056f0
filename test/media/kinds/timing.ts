import { lossyKind, placed, type Kind } from '../kind.ts';
import { edited, signal, transcoded, type Recipe } from '../recipe.ts';

const stereo = signal({ channels: 2 });
const picture = ['-f', 'lavfi', '-i', 'testsrc=s=64x48:r=10:d=7.2'];

const delayed = (seconds: number): string[] => ['-filter:a', `asetpts=PTS+${seconds}/TB`];

/** Sound that starts one second after the picture, which needs silence before it to stay in sync. */
function lateBesideVideo(name: string, extension: string, ...codecs: readonly string[]): Kind {
  const source = transcoded(stereo, extension, ...picture, '-map', '1', '-map', '0', ...delayed(1), ...codecs);
  return lossyKind(`late/${name}`, source, {
    reference: [{ silentSeconds: 1 }, source],
    encode: placed,
  });
}

/** Sound that starts late without any other stream, so that the file starts with its sound. */
function lateAlone(name: string, extension: string, ...codec: readonly string[]): Kind {
  return lossyKind(`late/${name}`, transcoded(stereo, extension, ...delayed(10), ...codec));
}

const m4a = transcoded(stereo, '.m4a');

/** The edit list skips half a second more than the encoder's delay. */
const laterEdit = edited(m4a, (whole) => {
  const bytes = Buffer.from(whole);
  const entry = bytes.indexOf('elst') + 12;
  bytes.writeUInt32BE(bytes.readUInt32BE(entry) - 500, entry);
  bytes.writeUInt32BE(bytes.readUInt32BE(entry + 4) + 22_050, entry + 4);
  return bytes;
});

const fast = signal({ channels: 2, sampleRate: 48_000 });

const silenced = (start: number, end: number): Recipe =>
  transcoded(fast, '.wav', '-af', `volume=volume=0:enable='between(t,${start},${end})'`);

/** Loud and soft seconds, so that packets of variable bitrate differ in size. */
const swelling = transcoded(stereo, '.wav', '-af', "volume=volume=0.03:enable='between(mod(t,4),0,2)'");
const variableAvi = transcoded(swelling, '.avi', '-c:a', 'libmp3lame', '-q:a', '4');

/** The header claims bytes at a constant rate, as some old encoders write it. */
const constantHeader = edited(variableAvi, (whole) => {
  const bytes = Buffer.from(whole);
  const [header, format] = [bytes.indexOf('strh') + 8, bytes.indexOf('strf') + 8];
  const bytesPerSecond = 16_000;
  bytes.writeUInt32LE(1, header + 20);
  bytes.writeUInt32LE(bytesPerSecond, header + 24);
  bytes.writeUInt32LE(1, header + 44);
  bytes.writeUInt32LE(bytesPerSecond, format + 8);
  bytes.writeUInt16LE(1, format + 12);
  return bytes;
});

export const timingKinds: readonly Kind[] = [
  lateBesideVideo('Matroska beside video', '.mkv', '-c:v', 'mpeg4', '-c:a', 'aac'),
  lateBesideVideo('WebM beside video', '.webm', '-c:v', 'libvpx', '-c:a', 'libopus'),
  lateBesideVideo('mp4 beside video', '.mp4', '-c:v', 'mpeg4', '-c:a', 'aac'),
  lateBesideVideo('MPEG-TS beside video', '.ts', '-c:v', 'mpeg2video', '-r', '25', '-c:a', 'mp2'),
  lateAlone('WebM', '.webm', '-c:a', 'libopus'),
  lateAlone('Matroska', '.mka', '-c:a', 'libvorbis'),
  lateAlone('MPEG-TS', '.ts', '-c:a', 'aac'),
  lossyKind('counted/mp3 of variable bitrate in AVI', constantHeader, {
    isQuick: true,
  }),
  lossyKind('counted/Vorbis in AVI', transcoded(stereo, '.avi', '-c:a', 'libvorbis')),
  lossyKind('edits/m4a that begins half a second later', laterEdit),
  lossyKind(
    'hole/WebM without its third second',
    transcoded(fast, '.webm', '-c:a', 'libopus', '-af', "aselect='not(between(t,2,3))'", '-fps_mode', 'passthrough'),
    { reference: [silenced(2, 3)], encode: placed },
  ),
];
