import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Recipe } from '../recipe.ts';

const execute = promisify(execFile);

export interface FilmShape {
  seconds?: number;
  rate?: string;
  size?: string;
  /** Whether the film has sound, which consists of claps. */
  hasSound?: boolean;
  /** Duration of the sound in seconds, if it differs from the pictures'. */
  soundSeconds?: number;
  /** Noise instead of claps: its position can be recognised everywhere. */
  isNoise?: boolean;
}

/** Bits of a picture's number, drawn over its upper third, so that all pictures of a film differ. */
const numberBits = 8;

/** Offset of the clap and its white picture within each second. */
const clapAt = 0.48;

function pictures({ seconds = 3, rate = '25', size = '192x108' }: FilmShape): string {
  const bits = Array.from({ length: numberBits }, (_, bit) => {
    const place = `x=iw*${bit}/${numberBits}:y=0:w=iw/${numberBits}:h=ih/3:t=fill`;
    const isSet = `mod(floor(n/${2 ** bit})\\,2)`;
    return [`drawbox=${place}:c=black:enable='not(${isSet})'`, `drawbox=${place}:c=white:enable='${isSet}'`];
  }).flat();
  // One white picture at or after the clap.
  const flash = `drawbox=c=white:t=fill:enable='lt(mod(t+${1 - clapAt}+1e-6\\,1)\\,1/(${rate}))'`;
  return [`testsrc2=s=${size}:r=${rate}:d=${seconds}`, ...bits, flash].join(',');
}

function sounds({ seconds = 3, soundSeconds = seconds, isNoise }: FilmShape): string {
  if (isNoise === true)
    return `anoisesrc=r=48000:d=${soundSeconds}:seed=5:amplitude=0.9,lowpass=f=600,lowpass=f=600,volume=2`;
  return `aevalsrc=if(lt(mod(t+${1 - clapAt}\\,1)\\,0.03)\\,0.8*sin(2*PI*1000*mod(t+${1 - clapAt}\\,1))\\,0):s=48000:d=${soundSeconds}`;
}

/** A lossless film of numbered, moving pictures, with a white one and a simultaneous clap each second. */
export function film(shape: FilmShape = {}): Recipe {
  const { hasSound = true } = shape;
  const args = [
    ...['-f', 'lavfi', '-i', pictures(shape)],
    ...(hasSound ? ['-f', 'lavfi', '-i', sounds(shape), '-c:a', 'pcm_s16le'] : []),
    ...['-c:v', 'ffv1', '-pix_fmt', 'yuv420p'],
  ];
  return {
    key: `film ${JSON.stringify(args)}`,
    extension: '.mkv',
    write: async (path) => void (await execute('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args, path])),
  };
}
