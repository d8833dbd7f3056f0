/** The presets' promises as independent figures: `contract/presets.ts` and `docs/presets.md` may not change without them. */
interface Golden {
  codec: string;
  channels: number;
  sampleRate: number;
  /** Audio bitrate in kbit/s, if the preset sets it. */
  bitrate?: number;
  reader: { container: RegExp; codec: RegExp; channels?: number; bitsPerSample?: number };
  loudness?: readonly [integrated: number, truePeak: number];
}

const opus = { container: /^Ogg$/, codec: /^Opus$/ };
const layer3 = { container: /^MPEG$/, codec: /^MPEG 1 Layer 3$/ };
const aac = { container: /M4A/, codec: /AAC/ };

export const golden: Record<string, Golden> = {
  'podcast-mp3-stereo': {
    codec: 'mp3',
    channels: 2,
    sampleRate: 44_100,
    bitrate: 128,
    reader: layer3,
    loudness: [-16, -1],
  },
  'podcast-mp3-mono': {
    codec: 'mp3',
    channels: 1,
    sampleRate: 44_100,
    bitrate: 64,
    reader: layer3,
    loudness: [-19, -1],
  },
  'podcast-aac': { codec: 'aac', channels: 2, sampleRate: 44_100, bitrate: 96, reader: aac, loudness: [-16, -1] },
  'podcast-opus': { codec: 'opus', channels: 2, sampleRate: 48_000, bitrate: 32, reader: opus, loudness: [-16, -1] },
  'radio-wav-ebu': {
    codec: 'pcm_s24le',
    channels: 2,
    sampleRate: 48_000,
    loudness: [-23, -1],
    // Microsoft requires WAVE_FORMAT_EXTENSIBLE above 16 bits.
    reader: { container: /^WAVE$/, codec: /\(65534\)$/, bitsPerSample: 24 },
  },
  'audiobook-m4b': {
    codec: 'aac',
    channels: 1,
    sampleRate: 44_100,
    bitrate: 64,
    loudness: [-19, -3],
    // The reader uses the sample entry, which is always 2 (ISO/IEC 14496-12); the codec's header says 1.
    reader: { container: /M4[AB]/, codec: /AAC/, channels: 2 },
  },
  'archive-flac': {
    codec: 'flac',
    channels: 2,
    sampleRate: 44_100,
    reader: { container: /^FLAC$/, codec: /^FLAC$/, bitsPerSample: 16 },
  },
  'speech-opus': { codec: 'opus', channels: 1, sampleRate: 24_000, bitrate: 24, reader: opus },
  // A custom preset.
  'house-podcast': { codec: 'mp3', channels: 1, sampleRate: 48_000, bitrate: 96, loudness: [-18, -2], reader: layer3 },
};

export const mp4Sound = { codec_name: 'aac', channels: 2, sample_rate: '48000' };
export const h264Video = { codec_name: 'h264', profile: 'High', pix_fmt: 'yuv420p' };

/** Streams of video presets according to ffprobe. */
export const filmStreams: Record<string, readonly object[]> = {
  'web-hevc-1080': [{ codec_name: 'hevc', codec_tag_string: 'hvc1', profile: 'Main', nb_frames: '60' }, mp4Sound],
  'web-av1-1080': [{ codec_name: 'av1', profile: 'Main', pix_fmt: 'yuv420p', nb_frames: '60' }, mp4Sound],
  'web-vp9-1080': [
    { codec_name: 'vp9', profile: 'Profile 0' },
    { codec_name: 'opus', channels: 2 },
  ],
  'archive-ffv1': [
    { codec_name: 'ffv1', pix_fmt: 'yuv420p' },
    { codec_name: 'flac', channels: 1 },
  ],
  'mezzanine-prores': [
    { codec_name: 'prores', codec_tag_string: 'apch', profile: 'HQ', pix_fmt: 'yuv422p10le' },
    { codec_name: 'pcm_s24le', sample_rate: '48000' },
  ],
};

/** x264 options for each promise, which x264 writes into its files; other encoders write none. */
export const goldenFilms: Record<string, readonly string[]> = {
  'web-h264-1080': ['crf=21.0', 'vbv_maxrate=6000', 'vbv_bufsize=12000', 'subme=7', 'keyint=250'],
  'web-h264-720': ['crf=22.0', 'vbv_maxrate=3000', 'vbv_bufsize=6000', 'subme=7', 'keyint=250'],
  'web-h264-480': ['crf=23.0', 'vbv_maxrate=1500', 'vbv_bufsize=3000', 'subme=7', 'keyint=250'],
  ...Object.fromEntries(Object.keys(filmStreams).map((name) => [name, []])),
  'proxy-360': ['crf=28.0', 'subme=2', 'keyint=50', 'scenecut=0'],
  'deinterlace-web': ['crf=22.0', 'vbv_maxrate=3000', 'vbv_bufsize=6000', 'subme=7', 'keyint=250'],
  'hdr-to-sdr': ['crf=21.0', 'subme=7', 'keyint=250'],
};

/** Presets that scale every picture up to phone size; their source is very short. */
const ofSocial = ['crf=20.0', 'vbv_maxrate=10000', 'vbv_bufsize=20000', 'subme=7', 'keyint=300'];
export const goldenMoments: Record<string, { size: readonly [number, number]; said: readonly string[] }> = {
  'social-9x16': { size: [1080, 1920], said: ofSocial },
  'social-9x16-blur': { size: [1080, 1920], said: ofSocial },
  'social-1x1': { size: [1080, 1080], said: ofSocial },
};

/** Presets that `packages.slow.test.ts` checks. */
export const packageNames = ['hls-h264', 'hls-hevc', 'hls-av1', 'hls-audio'];
