/**
 * Demuxers of plain media files, by ffmpeg's names. Not among them: playlists and everything that opens other files (hls,
 * dash, concat, sdp, imf, image2 …). One that is not here makes its files `undecodable_source`.
 */
export const allowedDemuxers = [
  // Files of sound, compressed with loss.
  ...['aac', 'ac3', 'amr', 'amrnb', 'amrwb', 'dts', 'eac3', 'loas', 'mp3', 'ogg'],
  // Files of sound without loss: PCM of all kinds of workstations, and codecs with a file format of their own.
  ...['aiff', 'ape', 'au', 'caf', 'flac', 'mlp', 'truehd', 'tta', 'voc', 'w64', 'wav', 'wv'],
  // Direct stream digital: Sony's .dsf, and Philips' .dff, which ffmpeg reads by its demuxer of IFF.
  ...['dsf', 'iff'],
  // Video with its sound. MXF is what broadcasters exchange, NUT is ffmpeg's own, and DV what comes from tapes.
  ...['asf', 'avi', 'dv', 'flv', 'matroska', 'mov', 'mpeg', 'mpegts', 'mxf', 'nut'],
  // Animations.
  'gif',
];

/** ffmpeg's names. All of them are fuzzed by its project, and work on samples or packets without looking at other files. */
export const allowedAudioDecoders = [
  // What delivers most of the world's sound: AAC with all its profiles (LC, HE, HE v2), Dolby, DTS, MPEG, Opus, Vorbis.
  ...['aac', 'aac_fixed', 'aac_latm', 'ac3', 'ac3_fixed', 'dca', 'eac3', 'libopus', 'libvorbis', 'opus', 'vorbis'],
  ...['mp1', 'mp1float', 'mp2', 'mp2float', 'mp3', 'mp3float'],
  // Lossless: archives, music shops, films.
  ...['alac', 'ape', 'flac', 'mlp', 'truehd', 'tta', 'wavpack', 'wmalossless'],
  // Windows Media.
  ...['wmapro', 'wmav1', 'wmav2'],
  // Telephones and voice recorders.
  ...['amrnb', 'amrwb', 'g722', 'g723_1', 'g726', 'g726le', 'gsm', 'gsm_ms', 'nellymoser', 'speex'],
  // ADPCM of WAV, QuickTime, Flash, Yamaha's chips and Sound Blaster's VOC.
  ...['adpcm_ima_qt', 'adpcm_ima_wav', 'adpcm_ms', 'adpcm_swf', 'adpcm_yamaha'],
  ...['adpcm_sbpro_2', 'adpcm_sbpro_3', 'adpcm_sbpro_4'],
  // Direct stream digital of .dsf and .dff, the latter also packed by DST.
  ...['dsd_lsbf', 'dsd_lsbf_planar', 'dsd_msbf', 'dsd_msbf_planar', 'dst'],
  // PCM; s302m is that of SMPTE 302M in broadcasters' transport streams.
  ...['pcm_alaw', 'pcm_bluray', 'pcm_dvd', 'pcm_f32be', 'pcm_f32le', 'pcm_f64be', 'pcm_f64le', 'pcm_mulaw'],
  ...['pcm_s16be', 'pcm_s16le', 'pcm_s24be', 'pcm_s24le', 'pcm_s32be', 'pcm_s32le', 'pcm_s8', 'pcm_u8', 's302m'],
];

/** What makes text of the subtitles of a source: each works on the letters of its packets alone. */
export const allowedTextDecoders = ['ass', 'mov_text', 'srt', 'ssa', 'subrip', 'text', 'webvtt'];

/**
 * What draws subtitles that are pictures, for those who ask for it. Each reads nothing but its packets, and the pixels that it makes are bounded by
 * `-max_pixels`.
 */
export const allowedSubtitlePictureDecoders = [
  // Blu-rays: run lengths of up to 64 objects on a canvas of its own.
  'pgssub',
  // DVDs: four colours in two fields.
  'dvdsub',
  // Broadcasts in Europe: regions, each of a size of its own.
  'dvbsub',
];

/** Subtitles that are looked at, for what a source says of itself. */
export const allowedSubtitleDecoders = [
  ...['ass', 'cc_dec', 'dvbsub', 'dvdsub', 'libzvbi_teletextdec', 'mov_text', 'pgssub', 'srt', 'ssa', 'stl', 'subrip'],
  ...['text', 'ttml', 'webvtt', 'xsub'],
];

/**
 * What may decode the pictures of a source from end to end. Each is fuzzed by ffmpeg's project, is what cameras, phones, editors
 * or archives write, and reads nothing but its packets. A codec that is not here makes its source `undecodable_source` where
 * pictures are asked for; its sound can be had all the same.
 */
export const allowedPictureDecoders = [
  // What cameras, phones and the web deliver. AV1 by dav1d alone, which is several times as fast as libaom.
  ...['h264', 'hevc', 'libdav1d', 'vp8', 'vp9'],
  // DVDs, broadcasts and the cameras of their time.
  ...['mpeg1video', 'mpeg2video', 'mpeg4', 'mjpeg'],
  // Editing and archives, with tapes and what was captured of them.
  ...['dnxhd', 'dvvideo', 'ffv1', 'ffvhuff', 'huffyuv', 'prores', 'rawvideo', 'utvideo', 'v210'],
  // The web before H.264, which is what old archives have: DivX, Flash, Ogg, telephones, Windows Media.
  ...['flv', 'h263', 'msmpeg4', 'msmpeg4v2', 'theora', 'vc1', 'vp6f', 'wmv1', 'wmv2', 'wmv3'],
  // Recordings of a screen, and animations.
  ...['gif', 'png', 'qtrle'],
];

/**
 * What may decode the first frames of a video: its size and rate are not always in a header, and the pixel format of FFV1, DNxHD and
 * others never. Those of AV1 besides, of which ffmpeg chooses one by itself.
 */
export const allowedVideoDecoders = [...allowedPictureDecoders, 'av1', 'libaom-av1'];
