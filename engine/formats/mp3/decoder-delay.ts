/**
 * Samples that a decoder's filter bank adds in front of an mp3's audio. A player drops them where an Info frame tells it the
 * encoder's delay (libavformat's mp3dec.c, mp3_parse_info_tag).
 */
export const mp3DecoderDelay = 528 + 1;
