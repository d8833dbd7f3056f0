import { ensurePython } from './python-environment.mjs';

/** ITU-R BS.1770-4 in Python, and libebur128, which measures true peaks too. */
const packages = ['pyloudnorm==0.2.0', 'pyebur128==0.1.1'];

/** The path of a Python that has two meters of loudness which are not ffmpeg's. */
export async function ensureLoudnessMeters() {
  return await ensurePython(packages, {
    title: 'Installing pyloudnorm and libebur128, which check loudness, from PyPI',
    expected: 'half a minute, once on this machine',
  });
}
