import { test } from 'vitest';
import { useChunkPlaces } from './use-chunk-places.ts';

const places = await useChunkPlaces();

/** Sources whose chunks are lossless: each has exactly the samples that plain ffmpeg decodes there. */
const exact: [name: string, args: string, sampleRate?: number][] = [
  ['ima.wav', '-c:a adpcm_ima_wav'],
  ['gsm.wav', '-c:a libgsm_ms -ar 8000', 8000],
  ['mulaw.wav', '-c:a pcm_mulaw'],
  ['s24.wav', '-c:a pcm_s24le'],
  ['ms.w64', '-c:a adpcm_ms'],
  ['v2.avi', '-c:a wmav2 -ar 22050', 22_050],
  ['v2.wav', '-c:a wmav2 -ar 22050', 22_050],
  ['v2.mkv', '-c:a wmav2 -ar 22050', 22_050],
  ['mp2.avi', '-c:a mp2'],
  ['ms.avi', '-c:a adpcm_ms'],
  ['ac3.mkv', '-c:a ac3 -ar 32000', 32_000],
  ['d.eac3', '-c:a eac3 -ar 32000', 32_000],
  ['d.dts', '-c:a dca -ar 48000 -strict -2 -f dts', 48_000],
  ['l2.mp2', '-c:a mp2'],
  ['dvd.vob', '-c:a pcm_dvd -ar 48000 -ac 2 -f vob', 48_000],
  ['s16.aiff', '-c:a pcm_s16be'],
  ['s16.au', '-c:a pcm_s16be'],
  ['ima.caf', '-c:a adpcm_ima_qt'],
  ['flac.caf', '-c:a flac'],
  ['a.tta', '-c:a tta'],
  ['a.wv', '-c:a wavpack'],
  ['tta.mkv', '-c:a tta'],
  ['s16.mov', '-c:a pcm_s16le'],
  ['alac.m4a', '-c:a alac'],
  ['nelly.flv', '-c:a nellymoser -ar 22050', 22_050],
  ['speex.ogg', '-c:a libspeex'],
  ['flac.ogg', '-c:a flac'],
];

test.each(exact)('cuts %s (%s) into chunks with the samples of their place', async (name, args, sampleRate) => {
  await places.expectExact(name, args, sampleRate);
});

/** Sources whose chunks are copied packets, or encoded again where a copy could be misplaced. */
const lossy: [name: string, args: string][] = [
  ['vbr-no-header.mp3', '-ar 32000 -q:a 5 -write_xing 0 -id3v2_version 0'],
  ['adts.aac', '-c:a aac -f adts'],
  ['aac.mkv', '-c:a aac'],
  ['aac.mov', '-c:a aac'],
  ['aac.flv', '-c:a aac -ar 44100'],
  ['aac.avi', '-c:a aac'],
  ['mp3.mpg', '-c:a libmp3lame -ar 32000 -f mpeg'],
  ['mp3.wav', '-c:a libmp3lame -ar 32000 -q:a 5'],
  ['mp3.wma', '-c:a libmp3lame -ar 32000'],
  ['opus.ogg', '-c:a libopus'],
  ['opus.ts', '-c:a libopus'],
  ['opus.mp4', '-c:a libopus'],
  ['opus.caf', '-c:a libopus'],
  ['vorbis.webm', '-c:a libvorbis'],
];

test.each(lossy)('cuts %s (%s) into chunks that begin within 50 ms of their place', async (name, args) => {
  await places.expectNear(name, args);
});
