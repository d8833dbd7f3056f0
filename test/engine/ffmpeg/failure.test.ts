import { expect, test } from 'vitest';
import { ffmpegFailure } from '../../../engine/ffmpeg/failure.ts';

const ended = (exitCode: number | null, signal: NodeJS.Signals | null = null) => ({ exitCode, signal });

test.each([
  [ended(1), 'input: Invalid data found when processing input', 'undecodable_source'],
  [ended(1), '[mov] moov atom not found', 'undecodable_source'],
  [ended(1), "Stream map '0:a:0' matches no streams.", 'undecodable_source'],
  [ended(1), 'Format not on whitelist', 'undecodable_source'],
  [ended(1), 'av_interleaved_write_frame(): No space left on device', 'disk_full'],
  [ended(1), 'Error writing trailer: Disk quota exceeded', 'disk_full'],
  [ended(1), '    title           : No space left on device', 'ffmpeg_failed'],
  [ended(0), 'Error writing trailer of x: No space left on device', 'disk_full'],
  [ended(69), 'Conversion failed!', 'undecodable_source'],
  [ended(1), 'something new', 'ffmpeg_failed'],
  [ended(null, 'SIGXCPU'), '', 'timeout'],
  [ended(255), 'Exiting normally, received signal 24.', 'timeout'],
  [ended(255), 'Exiting normally, received signal 15.', 'ffmpeg_failed'],
  [ended(null, 'SIGKILL'), 'Invalid data found', 'ffmpeg_failed'],
  [ended(null, 'SIGSYS'), 'Invalid data found', 'ffmpeg_failed'],
  [ended(null, 'SIGSEGV'), '', 'ffmpeg_failed'],
  [ended(null, 'SIGABRT'), '', 'ffmpeg_failed'],
  [ended(null, 'SIGABRT'), "ffmpeg: psymodel.c:576: calc_energy: Assertion `el >= 0' failed.", 'undecodable_source'],
  [ended(127), 'setpriv: failed to execute ffmpeg: No such file or directory', 'ffmpeg_failed'],
  [ended(126), 'Permission denied', 'ffmpeg_failed'],
])('an end by %o with "%s" is reported as %s', (end, complaint, code) => {
  const error = ffmpegFailure(end, complaint);
  expect(error.code).toBe(code);
  expect(error.message).not.toContain(complaint === '' ? 'undefined' : complaint);
});
