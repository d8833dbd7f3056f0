import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoudnessTarget } from '../../../contract/loudness.ts';
import { EncodeResult } from '../../../contract/http/encode.ts';
import { TestContainer } from '../../support/container.ts';
import { run } from '../../support/process.ts';
import { meterOf } from '../meter.ts';
import { fileOf, type Recipe } from '../recipe.ts';
import { measureByOthers } from './other-meters.ts';
import { loudnessSources, type LoudnessSource } from './sources.ts';

// `npm run check:loudness [-- <part of a name> …]` encodes all sources, or those named, to mp3, AAC, Opus and WAV.
// The target is -16 LUFS and -1 dBTP. ffmpeg, pyloudnorm and libebur128 measure the outputs.

const target: Omit<LoudnessTarget, 'maxGain'> = { integrated: -16, truePeak: -1 };
const outputs = ['mp3_128', 'aac_96', 'opus_64', 'wav'].map((format) => ({ format, loudness: target }));

/** Tolerance in LU for every meter. */
const mostOff = 0.1;

/** dB: libebur128 uses another peak filter than ffmpeg, whose meter decides. */
const peakMeterTolerance = 0.2;

function recipeOf({ extension, args }: LoudnessSource): Recipe {
  return {
    key: `loudness ${extension} ${JSON.stringify(args)}`,
    extension,
    async write(path) {
      const { code, output } = await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args, path]);
      if (code !== 0) throw new Error(output);
    },
  };
}

type Encoded = EncodeResult['outputs'][number];

/** Returns the faults of one output and a short list of its figures. */
async function judge(
  { note: expectedNote }: LoudnessSource,
  { loudness, channels = 0, sampleRate = 0, format }: Encoded,
  path: string,
): Promise<{ faults: string[]; figures: string }> {
  const byFfmpeg = await meterOf(path);
  const others = await measureByOthers(path, {
    channels,
    sampleRate: format?.startsWith('opus') ? 48_000 : sampleRate,
  });
  // pyloudnorm supports at most five channels.
  const pyloudnorm = channels > 5 ? undefined : others.pyloudnorm;
  const integrated = { ffmpeg: byFfmpeg.integrated, libebur128: others.libebur128, pyloudnorm };
  const faults: string[] = [];
  const check = (isRight: boolean, fault: string): void => {
    if (!isRight) faults.push(fault);
  };
  check(byFfmpeg.truePeak <= target.truePeak, `peak ${byFfmpeg.truePeak.toFixed(2)} dBTP`);
  check(
    others.truePeak <= target.truePeak + peakMeterTolerance,
    `peak by libebur128 ${others.truePeak.toFixed(2)} dBTP`,
  );
  const note = loudness?.note;
  if (expectedNote === undefined) {
    check(note === undefined, `note: ${note}`);
    for (const [meter, value] of Object.entries(integrated)) {
      if (value !== undefined)
        check(
          value !== null && Math.abs(value - target.integrated) <= mostOff,
          `${value?.toFixed(2)} LUFS by ${meter}`,
        );
    }
    check(Math.abs((loudness?.integrated ?? 0) - byFfmpeg.integrated) <= mostOff, `answered ${loudness?.integrated}`);
  } else {
    check(expectedNote.test(note ?? ''), `note: ${note}`);
  }
  const values = [byFfmpeg.integrated, others.pyloudnorm, others.libebur128].map((value) => value?.toFixed(2) ?? '-');
  return {
    faults,
    figures: `${format} ${values.join('/')} LUFS ${byFfmpeg.truePeak.toFixed(2)}/${others.truePeak.toFixed(2)} dBTP`,
  };
}

async function checkSource(source: LoudnessSource, container: TestContainer): Promise<string[]> {
  const name = `source${source.extension}`;
  await copyFile(await fileOf(recipeOf(source)), join(container.mediaRoot, name));
  const answer = await container.call('POST', '/encode', {
    sourceUrl: container.fileUrl(name),
    outputs: outputs.map((output, index) => ({ ...output, uploadUrl: container.fileUrl(`out/${index}`) })),
  });
  if (answer.status !== 200) return [`${answer.status}: ${JSON.stringify(answer.body)}`];
  const faults: string[] = [];
  const figures: string[] = [];
  for (const [index, output] of EncodeResult.parse(answer.body).outputs.entries()) {
    const verdict = await judge(source, output, join(container.mediaRoot, 'out', `${index}`));
    faults.push(...verdict.faults.map((fault) => `${output.format}: ${fault}`));
    figures.push(verdict.figures);
  }
  console.log(`${source.name} | ${figures.join(' | ')}${faults.length === 0 ? '' : ` | FAULT ${faults.join('; ')}`}`);
  await rm(join(container.mediaRoot, 'out'), { recursive: true });
  return faults;
}

const parts = process.argv.slice(2);
const chosen = loudnessSources.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)));
const container = await TestContainer.start();
const faulty: string[] = [];
try {
  for (const source of chosen) {
    const faults = await checkSource(source, container);
    if (faults.length > 0) faulty.push(source.name);
  }
} finally {
  await container.stop();
}
console.log(`${chosen.length} sources, ${faulty.length} of them at fault`);
for (const name of faulty) console.log(`  ${name}`);
if (faulty.length > 0) process.exitCode = 1;
