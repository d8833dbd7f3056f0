import { join } from 'node:path';
import { aptInstall, canUseApt } from './apt.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, onPath } from './places.mjs';
import { SetupError } from './setup-error.mjs';

const isThere = () => onPath('ffmpeg') !== undefined && onPath('ffprobe') !== undefined;

export async function ensureFfmpeg() {
  if (isThere()) return;
  if (canUseApt()) {
    await withLock(join(cacheFolder(), 'apt.lock'), 'apt-get', async () => {
      if (!isThere()) await aptInstall(['ffmpeg'], 'ffmpeg');
    });
  }
  if (isThere()) return;
  const missing = onPath('ffmpeg') === undefined ? 'ffmpeg' : 'ffprobe';
  throw new SetupError(
    `${missing} is not on PATH. Install FFmpeg, which brings both ffmpeg and ffprobe (Debian and Ubuntu: sudo apt-get install ffmpeg; ` +
      'Fedora: sudo dnf install ffmpeg; macOS: brew install ffmpeg), and run the command again.',
  );
}
