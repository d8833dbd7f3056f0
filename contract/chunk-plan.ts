/** One chunk's place in the source, in seconds. */
export interface PlannedChunk {
  index: number;
  start: number;
  duration: number;
}

/**
 * Chunk i covers [i * (chunkDuration - overlapDuration), + chunkDuration) of the source, the last one to its end:
 * N = max(1, ceil((duration - overlapDuration) / (chunkDuration - overlapDuration))) (contract 1.4). All in seconds.
 */
export function planChunks(sourceDuration: number, chunkDuration: number, overlapDuration: number): PlannedChunk[] {
  const step = chunkDuration - overlapDuration;
  // A microsecond of slack: 60.000000001 s of source at 60 s a chunk is one chunk, not two.
  const count = Math.max(1, Math.ceil((sourceDuration - overlapDuration) / step - 1e-6 / step));
  return Array.from({ length: count }, (_, index) => {
    const start = index * step;
    return { index, start, duration: Math.min(chunkDuration, sourceDuration - start) };
  });
}

/** File name ending of the chunks of a source, by the codec name that ffprobe gives it. What cannot be cut as it is becomes FLAC, which loses nothing. */
export function chunkExtension(codec: string): 'mp3' | 'm4a' | 'ogg' | 'wav' | 'flac' {
  if (codec === 'mp3') return 'mp3';
  if (codec === 'aac') return 'm4a';
  if (codec === 'opus' || codec === 'vorbis') return 'ogg';
  if (codec.startsWith('pcm_')) return 'wav';
  return 'flac';
}
