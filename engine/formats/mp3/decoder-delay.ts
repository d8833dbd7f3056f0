/**
 * Samples that a decoder's filter bank adds before an mp3's audio. A player drops them if an Info frame states the
 * encoder's delay (libavformat's mp3dec.c, mp3_parse_info_tag).
 */
export const mp3DecoderDelay = 528 + 1;
