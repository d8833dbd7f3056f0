/** Demuxers of plain media files. Not among them: playlists and everything that opens other files (hls, dash, concat, sdp, image2 …). */
const formats = [
  'aac',
  'ac3',
  'aiff',
  'amr',
  'ape',
  'asf',
  'au',
  'avi',
  'caf',
  'dts',
  'eac3',
  'flac',
  'flv',
  'matroska',
  'mov',
  'mp3',
  'mpeg',
  'mpegts',
  'ogg',
  'tta',
  'w64',
  'wav',
  'wv',
];

const audioDecoders = [
  'aac',
  'aac_fixed',
  'aac_latm',
  'ac3',
  'ac3_fixed',
  'adpcm_ima_qt',
  'adpcm_ima_wav',
  'adpcm_ms',
  'alac',
  'amrnb',
  'amrwb',
  'ape',
  'dca',
  'eac3',
  'flac',
  'gsm',
  'gsm_ms',
  'libopus',
  'libvorbis',
  'mp1',
  'mp1float',
  'mp2',
  'mp2float',
  'mp3',
  'mp3float',
  'nellymoser',
  'opus',
  'pcm_alaw',
  'pcm_bluray',
  'pcm_dvd',
  'pcm_f32be',
  'pcm_f32le',
  'pcm_f64be',
  'pcm_f64le',
  'pcm_mulaw',
  'pcm_s16be',
  'pcm_s16le',
  'pcm_s24be',
  'pcm_s24le',
  'pcm_s32be',
  'pcm_s32le',
  'pcm_s8',
  'pcm_u8',
  'speex',
  'tta',
  'vorbis',
  'wavpack',
  'wmav1',
  'wmav2',
  'wmapro',
];

/** ffprobe opens a decoder for every stream and ends where it may not; ffmpeg decodes the audio alone. */
const probedVideoDecoders = [
  'av1',
  'flv',
  'h263',
  'h264',
  'hevc',
  'libaom-av1',
  'libdav1d',
  'mjpeg',
  'mpeg1video',
  'mpeg2video',
  'mpeg4',
  'msmpeg4',
  'png',
  'prores',
  'theora',
  'vc1',
  'vp6f',
  'vp8',
  'vp9',
  'wmv3',
];

/** One allocation of ffmpeg at most, in bytes: far above what audio needs, far below the machine. */
const maxAllocBytes = 256 * 1024 ** 2;

function guards(decoders: readonly string[]): string[] {
  return [
    ...['-max_alloc', String(maxAllocBytes)],
    ...['-protocol_whitelist', 'file'],
    ...['-format_whitelist', formats.join(',')],
    ...['-codec_whitelist', decoders.join(',')],
  ];
}

/** Input options that keep a hostile file from reading others, for ffmpeg. */
export const decodeGuards: readonly string[] = guards(audioDecoders);

/** The same for ffprobe. */
export const probeGuards: readonly string[] = guards([...audioDecoders, ...probedVideoDecoders]);
