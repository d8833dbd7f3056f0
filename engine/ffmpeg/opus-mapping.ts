/**
 * ffmpeg options of the encoder for the order of the speakers. Of five and of seven channels, ffmpeg 5.1 exchanges
 * some unless the mapping family (RFC 7845, 5.1.1) is requested. The other counts are in order without it.
 */
export function channelMappingOptions(channels: number): string[] {
  return channels === 5 || channels === 7 ? ['-mapping_family', '1'] : [];
}
