import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isRecord } from '../../contract/unknown-values.ts';
import { askTool } from './ask-tool.ts';
import { generatedGuards } from './guards.ts';

/** Encoders whose segments can be joined, with options that make their output repeatable. */
const trials: Readonly<Record<string, readonly string[]>> = {
  libx264: ['-threads', '1'],
  libx265: ['-threads', '1', '-x265-params', 'log-level=error:pools=1'],
  libsvtav1: ['-preset', '12', '-svtav1-params', 'lp=1'],
  'libvpx-vp9': ['-threads', '1', '-cpu-used', '8', '-deadline', 'realtime'],
};

/** A trial takes a tenth of a second. */
const timeoutSeconds = 30;

/** Encodes some generated pictures, and returns the digest of the packets. An encoder that ffmpeg lacks has none. */
async function tryEncoder([encoder, options]: readonly [string, readonly string[]]): Promise<string> {
  const input = [...generatedGuards, '-i', 'testsrc2=s=128x96:r=25:d=0.4'];
  const output = ['-pix_fmt', 'yuv420p', '-c:v', encoder, ...options, '-f', 'md5', '-'];
  try {
    return await askTool('ffmpeg', ['-v', 'error', '-nostdin', ...input, ...output], timeoutSeconds);
  } catch (error) {
    // Any other failure, such as a lack of memory, may pass.
    if (isRecord(error) && /Unknown encoder/.test(String(error['stderr']))) return 'none';
    throw error;
  }
}

/** Instructions by which encoders and the maths library choose their code, by Linux's names. */
const instructions = ['avx2', 'avx512f', 'fma', 'sse4_2', 'ssse3', 'asimd', 'sve', 'sve2'];

/** Instructions that encoders may use on this machine. Undefined on a system that does not list them. */
async function readInstructions(): Promise<string[] | undefined> {
  const facts = await readFile('/proc/cpuinfo', 'utf8').catch(() => undefined);
  const flags = /^(?:flags|Features)\s*:(.*)$/m.exec(facts ?? '')?.[1]?.split(' ');
  return flags && instructions.filter((name) => flags.includes(name));
}

interface EncoderFacts {
  version: string;
  processor: string;
  instructions: string[] | undefined;
  trials: string[];
}

export async function readEncoderFacts(): Promise<EncoderFacts> {
  return {
    version: await askTool('ffmpeg', ['-version'], timeoutSeconds),
    processor: process.arch,
    instructions: await readInstructions(),
    trials: await Promise.all(Object.entries(trials).map(tryEncoder)),
  };
}

export function digestEncoders(facts: EncoderFacts): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

let identified: Promise<string> | undefined;

/**
 * Identifies the encoders of this machine: the build of ffmpeg, the instructions of the processor, and the encoders'
 * output for the same pictures. Pictures of two kinds of encoders could differ at a seam.
 */
export async function encoderBuild(): Promise<string> {
  identified ??= readEncoderFacts().then(digestEncoders);
  return await identified.catch((error: unknown) => {
    identified = undefined;
    throw error;
  });
}
