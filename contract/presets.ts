import type { Preset } from './http/preset.ts';

export type Presets = Readonly<Record<string, Preset>>;

/**
 * Opus for speech recognition: enough bitrate for speech, and the sample rate that recognition through Opus is designed
 * for.
 */
const speech = { codec: 'opus', bitrate: 24, channels: 1, sampleRate: 24_000 } as const;

/** Sound beside pictures that every player supports. */
const webSound = { codec: 'aac', bitrate: 128, channels: 2, sampleRate: 48_000 } as const;

/** Pictures that social networks accept: 30 frames per second, whatever the phone recorded. */
const socialVideo = { codec: 'h264', fps: 30, crf: 20, maxBitrate: 10_000, level: '4', hdr: 'sdr' } as const;

/**
 * Built-in presets (docs/presets.md). Podcasts use their players' rate, 44.1 kHz; Opus has one rate only, and
 * broadcasters use 48 kHz.
 */
export const builtInPresets = {
  'podcast-mp3-stereo': {
    description: 'podcasts with music, for every player',
    container: 'mp3',
    audio: { codec: 'mp3', bitrate: 128, channels: 2, sampleRate: 44_100 },
    loudness: 'podcast',
  },
  'podcast-mp3-mono': {
    description: 'podcasts of speech, for every player',
    container: 'mp3',
    audio: { codec: 'mp3', bitrate: 64, channels: 1, sampleRate: 44_100 },
    loudness: 'podcast-mono',
  },
  'podcast-aac': {
    description: 'podcasts in AAC: as good as mp3 at three quarters of the size',
    container: 'm4a',
    audio: { codec: 'aac', bitrate: 96, channels: 2, sampleRate: 44_100 },
    loudness: 'podcast',
  },
  'podcast-opus': {
    description: 'podcasts in Opus: small, for players that support it',
    container: 'ogg',
    audio: { codec: 'opus', bitrate: 32, channels: 2, sampleRate: 48_000 },
    loudness: 'podcast',
  },
  'radio-wav-ebu': {
    description: 'for broadcasters',
    container: 'wav',
    audio: { codec: 'pcm', bitDepth: 24, channels: 2, sampleRate: 48_000 },
    loudness: 'ebu-r128',
    // A WAV with any metadata is a Broadcast Wave.
    metadata: { encoded_by: 'Holdfast' },
  },
  'audiobook-m4b': {
    description: 'audiobooks',
    container: 'm4b',
    audio: { codec: 'aac', bitrate: 64, channels: 1, sampleRate: 44_100 },
    // One channel of speech with the headroom of audiobook shops: ACX allows peaks up to -3 dB.
    loudness: { integrated: -19, truePeak: -3 },
    chapters: 'keep',
    cover: 'keep',
  },
  'archive-flac': {
    description: 'archives: the source without loss, up to 24 bits',
    container: 'flac',
    audio: { codec: 'flac' },
  },
  'speech-opus': {
    description: 'speech recognition; as `processing` encodes by default',
    container: 'ogg',
    audio: speech,
  },
  'web-h264-1080': {
    description: 'films of up to 1920 pixels on the longer side, for every browser and phone',
    container: 'mp4',
    video: { codec: 'h264', width: 1920, height: 1920, crf: 21, maxBitrate: 6000, hdr: 'sdr' },
    audio: webSound,
  },
  'web-h264-720': {
    description: 'films of up to 1280 pixels on the longer side, for every browser and phone',
    container: 'mp4',
    video: { codec: 'h264', width: 1280, height: 1280, crf: 22, maxBitrate: 3000, hdr: 'sdr' },
    audio: webSound,
  },
  'web-h264-480': {
    description: 'films of up to 854 pixels on the longer side, for slow connections',
    container: 'mp4',
    video: { codec: 'h264', width: 854, height: 854, crf: 23, maxBitrate: 1500, hdr: 'sdr' },
    audio: webSound,
  },
  'web-hevc-1080': {
    description: 'films of up to 1920 pixels, in smaller files than H.264, for phones and televisions',
    container: 'mp4',
    video: { codec: 'hevc', width: 1920, height: 1920, crf: 25, maxBitrate: 4000 },
    audio: webSound,
  },
  'web-av1-1080': {
    description: 'films of up to 1920 pixels, in smaller files than HEVC, for current browsers',
    container: 'mp4',
    video: { codec: 'av1', width: 1920, height: 1920, crf: 34 },
    audio: webSound,
  },
  'web-vp9-1080': {
    description: 'films of up to 1920 pixels, in codecs without licence fees',
    container: 'webm',
    video: { codec: 'vp9', width: 1920, height: 1920, crf: 33, hdr: 'sdr' },
    audio: { codec: 'opus', bitrate: 128, channels: 2, sampleRate: 48_000 },
  },
  'archive-ffv1': {
    description: 'archives: lossless pictures, each coded by itself, with checksums',
    container: 'mkv',
    video: { codec: 'ffv1' },
    audio: { codec: 'flac' },
  },
  'mezzanine-prores': {
    description: 'editing: ProRes 422 HQ, in which every picture is a key frame',
    container: 'mov',
    video: { codec: 'prores' },
    audio: { codec: 'pcm', bitDepth: 24, sampleRate: 48_000 },
  },
  'proxy-360': {
    description: 'review and rough cuts: small, and quick to encode',
    container: 'mp4',
    video: { codec: 'h264', height: 360, crf: 28, speed: 'fast', keyframeInterval: 2, hdr: 'sdr' },
    audio: webSound,
  },
  'social-9x16': {
    description: 'upright films that fill a phone; the sides of wide films are cropped',
    container: 'mp4',
    video: { ...socialVideo, width: 1080, height: 1920, fit: 'cover' },
    audio: webSound,
  },
  'social-9x16-blur': {
    description: 'upright films with the whole picture, over a blurred copy of it',
    container: 'mp4',
    video: { ...socialVideo, width: 1080, height: 1920, fit: 'blur' },
    audio: webSound,
  },
  'social-1x1': {
    description: 'square films; the longer side is cropped',
    container: 'mp4',
    video: { ...socialVideo, width: 1080, height: 1080, fit: 'cover' },
    audio: webSound,
  },
  'deinterlace-web': {
    description: 'films from interlaced television, for browsers and phones',
    container: 'mp4',
    video: { codec: 'h264', width: 1280, height: 1280, crf: 22, maxBitrate: 3000, deinterlace: 'auto', hdr: 'sdr' },
    audio: webSound,
  },
  'hdr-to-sdr': {
    description: 'HDR10 and HLG for ordinary screens, in the size of the source',
    container: 'mp4',
    video: { codec: 'h264', crf: 21, hdr: 'sdr' },
    audio: webSound,
  },
  'hls-h264': {
    description: 'streaming to every player: HLS and DASH of H.264 and AAC',
    package: ['hls', 'dash'],
    video: { codec: 'h264', crf: 21, hdr: 'sdr' },
    audio: webSound,
  },
  'hls-hevc': {
    description: 'streaming in HEVC: smaller files than H.264, for phones and televisions',
    package: ['hls', 'dash'],
    video: { codec: 'hevc', crf: 24 },
    audio: webSound,
  },
  'hls-av1': {
    description: 'streaming in AV1: smaller files than HEVC, for current browsers',
    package: ['hls', 'dash'],
    video: { codec: 'av1', crf: 34 },
    audio: webSound,
  },
  'hls-audio': {
    description: 'streaming of podcasts and music: AAC at three bitrates',
    package: ['hls', 'dash'],
    video: false,
    audio: [
      { codec: 'aac', bitrate: 160, channels: 2, sampleRate: 48_000 },
      { codec: 'aac', bitrate: 96, channels: 2, sampleRate: 48_000 },
      { codec: 'aac', bitrate: 48, channels: 2, sampleRate: 48_000 },
    ],
  },
} as const satisfies Presets;
