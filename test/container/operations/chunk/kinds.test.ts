import { testChunksOf } from './test-kinds.ts';

// These are one of each codec; the slow tests and the matrix have the others.
testChunksOf([
  { name: 'cd.wav', args: ['-c:a', 'pcm_s16le'], codec: 'pcm_s16le', isCopy: false },
  { name: 'vbr.mp3', args: ['-q:a', '4'], codec: 'mp3', isCopy: true },
  { name: 'lc.m4a', args: ['-c:a', 'aac', '-b:a', '128k'], codec: 'aac', isCopy: true },
  { name: '20ms.ogg', args: ['-c:a', 'libopus', '-b:a', '96k'], codec: 'opus', isCopy: true },
  { name: 'vorbis.ogg', args: ['-c:a', 'libvorbis', '-q:a', '4'], codec: 'vorbis', isCopy: true },
  { name: 'cd.flac', args: ['-c:a', 'flac'], codec: 'flac', isCopy: false },
  { name: 'dolby.ac3', args: ['-c:a', 'ac3', '-b:a', '192k'], codec: 'flac', isCopy: false },
]);
