import { testChunksOf } from './test-kinds.ts';

const noHeader = ['-q:a', '2', '-write_xing', '0', '-id3v2_version', '0'];

testChunksOf([
  { name: '24bit.wav', args: ['-c:a', 'pcm_s24le'], codec: 'pcm_s24le', isCopy: false },
  { name: 'big-endian.aiff', args: ['-c:a', 'pcm_s16be'], codec: 'pcm_s16le', isCopy: false },
  { name: 'vbr-no-header.mp3', args: noHeader, codec: 'mp3', isCopy: true },
  { name: 'speech.m4a', args: ['-ar', '16000', '-ac', '1', '-c:a', 'aac'], codec: 'aac', isCopy: true },
  { name: '60ms.ogg', args: ['-c:a', 'libopus', '-frame_duration', '60', '-b:a', '96k'], codec: 'opus', isCopy: true },
  { name: 'opus.webm', args: ['-c:a', 'libopus', '-b:a', '96k'], codec: 'opus', isCopy: true },
]);
