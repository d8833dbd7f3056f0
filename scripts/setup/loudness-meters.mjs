import { ensurePython } from './python-environment.mjs';

/** ITU-R BS.1770-4 in Python, and libebur128, which also measures true peaks. */
const packages = ['pyloudnorm==0.2.0', 'pyebur128==0.1.1'];

/** Path of a Python with two loudness meters that are not ffmpeg's. */
export async function ensureLoudnessMeters() {
  return await ensurePython(packages, {
    title: 'Installing pyloudnorm and libebur128, which check loudness, from PyPI',
    expected: 'half a minute, once on this machine',
  });
}
