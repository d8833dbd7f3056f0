import { testChunksOf } from './test-kinds.ts';

// These take the paths of kinds.test.ts and kinds.slow.test.ts.
testChunksOf([
  { name: 'cbr.mp3', args: ['-b:a', '128k'], codec: 'mp3', isCopy: true },
  { name: 'low-rate.mp3', args: ['-ar', '22050', '-ac', '1', '-b:a', '48k'], codec: 'mp3', isCopy: true },
  { name: 'telephone.mp3', args: ['-ar', '8000', '-ac', '1', '-b:a', '16k'], codec: 'mp3', isCopy: false },
  { name: 'telephone.m4a', args: ['-ar', '8000', '-ac', '1', '-c:a', 'aac'], codec: 'aac', isCopy: false },
  { name: '120ms.ogg', args: ['-c:a', 'libopus', '-frame_duration', '120'], codec: 'opus', isCopy: false },
]);
