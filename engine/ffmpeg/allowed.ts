/**
 * Demuxers of plain media files, by ffmpeg's names. Playlists and other formats that open further files are left out
 * (hls, dash, concat, sdp, imf, image2 …). A source of any other format is `undecodable_source`.
 */
export const allowedDemuxers = [
  // Lossy audio files. Without its header, AMR looks like noise: ffmpeg takes raw floating point for it.
  ...['aac', 'ac3', 'amr', 'dts', 'eac3', 'loas', 'mp3', 'ogg'],
  // Lossless audio files: PCM of all kinds of workstations, and codecs with a file format of their own.
  ...['aiff', 'ape', 'au', 'caf', 'flac', 'mlp', 'truehd', 'tta', 'voc', 'w64', 'wav', 'wv'],
  // Speech corpora and sound research: NIST SPHERE, and IRCAM's .sf.
  ...['ircam', 'nistsphere'],
  // Direct Stream Digital: Sony's .dsf, and Philips' .dff, which ffmpeg reads with its IFF demuxer.
  ...['dsf', 'iff'],
  // Video with audio. Broadcasters exchange MXF, NUT is ffmpeg's own, and DV comes from tapes.
  ...['asf', 'avi', 'dv', 'flv', 'matroska', 'mov', 'mpeg', 'mpegts', 'mxf', 'nut'],
  // Animations.
  'gif',
];

/**
 * ffmpeg's names. ffmpeg's project fuzzes all of them, and they process samples or packets without opening other files.
 */
export const allowedAudioDecoders = [
  // Most audio in use: AAC with all its profiles (LC, HE, HE v2), Dolby, DTS, MPEG, Opus, Vorbis.
  ...['aac', 'aac_fixed', 'aac_latm', 'ac3', 'ac3_fixed', 'dca', 'eac3', 'libopus', 'libvorbis', 'opus', 'vorbis'],
  ...['mp1', 'mp1float', 'mp2', 'mp2float', 'mp3', 'mp3float'],
  // Lossless codecs of archives, music shops and films.
  ...['alac', 'ape', 'flac', 'mlp', 'truehd', 'tta', 'wavpack', 'wmalossless'],
  // Windows Media.
  ...['wmapro', 'wmav1', 'wmav2'],
  // Telephones and voice recorders.
  ...['amrnb', 'amrwb', 'g722', 'g723_1', 'g726', 'g726le', 'gsm', 'gsm_ms', 'nellymoser', 'speex'],
  // ADPCM of WAV, QuickTime, Flash, Yamaha chips and Sound Blaster's VOC.
  ...['adpcm_ima_qt', 'adpcm_ima_wav', 'adpcm_ms', 'adpcm_swf', 'adpcm_yamaha'],
  ...['adpcm_sbpro_2', 'adpcm_sbpro_3', 'adpcm_sbpro_4'],
  // Direct Stream Digital of .dsf and .dff; the latter may be compressed with DST.
  ...['dsd_lsbf', 'dsd_lsbf_planar', 'dsd_msbf', 'dsd_msbf_planar', 'dst'],
  // PCM. s302m is the PCM of SMPTE 302M in broadcast transport streams.
  ...['pcm_alaw', 'pcm_bluray', 'pcm_dvd', 'pcm_f32be', 'pcm_f32le', 'pcm_f64be', 'pcm_f64le', 'pcm_mulaw'],
  ...['pcm_s16be', 'pcm_s16le', 'pcm_s24be', 'pcm_s24le', 'pcm_s32be', 'pcm_s32le', 'pcm_s8', 'pcm_u8', 's302m'],
];

/** Decoders of text subtitles. Each reads only the text of its packets. */
export const allowedTextDecoders = ['ass', 'mov_text', 'srt', 'ssa', 'subrip', 'text', 'webvtt'];

/**
 * Decoders of picture subtitles, used only on request. Each reads only its packets, and `-max_pixels` bounds its
 * pictures.
 */
export const allowedSubtitlePictureDecoders = [
  // Blu-ray: run lengths of up to 64 objects on a separate canvas.
  'pgssub',
  // DVD: four colours in two fields.
  'dvdsub',
  // European broadcasts: regions of individual sizes.
  'dvbsub',
];

/** Decoders that may inspect a source's subtitles. */
export const allowedSubtitleDecoders = [
  ...['ass', 'cc_dec', 'dvbsub', 'dvdsub', 'libzvbi_teletextdec', 'mov_text', 'pgssub', 'srt', 'ssa', 'stl', 'subrip'],
  ...['text', 'ttml', 'webvtt', 'xsub'],
];

/**
 * Decoders for all pictures of a source. ffmpeg's project fuzzes each of them, cameras, phones, editors or archives
 * write its codec, and it reads only its packets. A source with another codec is `undecodable_source` if pictures are
 * requested; its audio can still be used.
 */
export const allowedPictureDecoders = [
  // Codecs of cameras, phones and the web. dav1d alone decodes AV1: it is several times as fast as libaom.
  ...['h264', 'hevc', 'libdav1d', 'vp8', 'vp9'],
  // DVDs, broadcasts and cameras of that time.
  ...['mpeg1video', 'mpeg2video', 'mpeg4', 'mjpeg'],
  // Editing, archives, tapes and captures from tapes.
  ...['dnxhd', 'dvvideo', 'ffv1', 'ffvhuff', 'huffyuv', 'prores', 'rawvideo', 'utvideo', 'v210'],
  // Web video before H.264, found in old archives: DivX, Flash, Ogg, telephones, Windows Media.
  ...['flv', 'h263', 'msmpeg4', 'msmpeg4v2', 'theora', 'vc1', 'vp6f', 'wmv1', 'wmv2', 'wmv3'],
  // Screen recordings and animations.
  ...['gif', 'png', 'qtrle'],
];

/**
 * Decoders for the first frames of a video. A header may lack its size and rate, and always lacks the pixel format of
 * FFV1, DNxHD and others. ffmpeg chooses one of the AV1 decoders itself.
 */
export const allowedVideoDecoders = [...allowedPictureDecoders, 'av1', 'libaom-av1'];
