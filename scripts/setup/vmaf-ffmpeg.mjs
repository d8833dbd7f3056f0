import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { namedByVariable, projectRoot } from './places.mjs';
import { ensurePython, findPython } from './python-environment.mjs';

/** The package of the requirements file, which adds the digests. */
const packages = ['imageio-ffmpeg==0.8.1'];
const requirements = resolve(projectRoot, 'scripts/setup/vmaf-requirements.txt');

/** Path of the program inside this Python's package. */
function programOf(python) {
  const library = join(python, '../../lib');
  const version = readdirSync(library).find((name) => name.startsWith('python3')) ?? '';
  const folder = join(library, version, 'site-packages/imageio_ffmpeg/binaries');
  const program = readdirSync(folder).find((name) => name.startsWith('ffmpeg-'));
  return program === undefined ? undefined : join(folder, program);
}

/** Path of an ffmpeg with libvmaf, which measures picture quality, or undefined. */
export function findVmafFfmpeg() {
  const named = namedByVariable('VMAF_FFMPEG_PATH');
  if (named !== undefined) return named;
  const python = findPython(packages);
  return python === undefined ? undefined : programOf(python);
}

export async function installVmafFfmpeg() {
  const python = await ensurePython(packages, {
    title: 'Installing an ffmpeg with libvmaf, which measures how good pictures are, from PyPI',
    expected: 'some seconds for 70 MB, once on this machine',
    requirements,
  });
  return programOf(python);
}
