import { expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { pictureHashes, picturePackets, plainScaler, quickH264 } from '../../../support/films.ts';

const service = await useEncodes();
const { encode, make, outputFile } = service;

/** A film that alternates between hard and easy scenes. */
const scenes = (seconds: number, size = '160x90'): string[] => [
  ...['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=25:d=${seconds},noise=alls=40:allf=t:enable='lt(mod(t,4),1.5)'`],
  ...['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${seconds}`],
];

const rate = { speed: 'fast', bitrate: 200 } as const;

test('meets a bitrate on average by two passes, with the pictures of plain ffmpeg', async () => {
  const seconds = 16;
  const source = await make('scenes.mkv', ...scenes(seconds), ...quickH264, '-crf', '10', '-c:a', 'pcm_s16le');
  const answer = await encode('scenes.mkv', [
    { container: 'mp4', video: { codec: 'h264', speed: 'fast', crf: 30 } },
    { container: 'mp4', video: { codec: 'h264', ...rate } },
    { container: 'webm', video: { codec: 'vp9', ...rate, keyframeInterval: 2 } },
    { container: 'mov', video: { codec: 'hevc', ...rate }, audio: false },
  ]);
  expect(answer.body).toEqual(expect.objectContaining({ success: true }));
  const { outputs } = EncodeResult.parse(answer.body);
  const [, ...rated] = outputs.map(({ streams }) => streams?.[0]?.bitrate ?? 0);
  expect(rated.map((bitrate) => Math.abs(bitrate / 200 - 1) <= 0.05)).toEqual([true, true, true]);
  expect(await service.container.jobFolders()).toEqual([]);

  const scaled = ['-i', source, '-map', '0:v', '-vf', plainScaler('160:90')];
  const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '200k', '-profile:v', 'high', '-g', '250'];
  const passes = async (name: string, options: string[]): Promise<string> => {
    for (const pass of ['1', '2'])
      await make(name, ...scaled, ...options, '-pass', pass, '-passlogfile', `${source}-log`);
    return service.file(name);
  };
  const plain = await passes('plain.mp4', [...x264, '-threads', '1']);
  expect(await pictureHashes(outputFile('scenes.mkv', 1))).toEqual(await pictureHashes(plain));
  const vpx = ['-c:v', 'libvpx-vp9', '-deadline', 'good', '-cpu-used', '5', '-b:v', '200k', '-row-mt', '1'];
  const plainWebm = await passes('plain.webm', [...vpx, '-threads', '2', '-g', '50', '-keyint_min', '50']);
  expect(await pictureHashes(outputFile('scenes.mkv', 2))).toEqual(await pictureHashes(plainWebm));
  const keys = (await picturePackets(outputFile('scenes.mkv', 2))).flatMap(({ isKey }, at) => (isKey ? [at] : []));
  expect(keys).toEqual(Array.from({ length: 8 }, (_, index) => index * 50));
});

test('meets a bitrate of HEVC with bars at a variable rate whose file declares 1000', async () => {
  const times = String.raw`setpts='40*N+mod(7*N*N\,19)'`;
  const film = ['-f', 'lavfi', '-i', `testsrc2=s=160x90:r=1000:d=0.1,noise=alls=40:allf=t,${times}`];
  await make('recording.mkv', ...film, '-fps_mode', 'passthrough', ...quickH264, '-crf', '10');
  const video = { codec: 'hevc', ...rate, width: 160, height: 160, pad: 'black' } as const;
  const answer = await encode('recording.mkv', [{ container: 'mp4', video }]);
  const { outputs } = EncodeResult.parse(answer.body);
  expect(outputs[0]?.streams?.[0]).toMatchObject({ frames: 100, height: 160 });
  expect(Math.abs((outputs[0]?.streams?.[0]?.bitrate ?? 0) / rate.bitrate - 1)).toBeLessThan(0.15);
});
