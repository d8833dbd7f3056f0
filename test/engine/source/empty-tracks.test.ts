import { execFile } from 'node:child_process';
import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { MediaError } from '../../../engine/media-error.ts';
import { audioOf, openSource } from '../../../engine/source/source.ts';
import { chooseTrack } from '../../../engine/source/track.ts';
import { settleFile } from '../../support/settled-outputs.ts';
import { inFolder, limits } from '../sound/segmented/support.ts';

const execute = promisify(execFile);

/** Writes a film with an audio track for each sound; ffmpeg writes the track of an empty sound without a packet. */
async function writeFilm(folder: string, extension: string, ...sounds: readonly string[]): Promise<string> {
  const path = join(folder, `film.${extension}`);
  const inputs = ['testsrc2=s=64x48:r=10:d=1', ...sounds].flatMap((input) => ['-f', 'lavfi', '-i', input]);
  const maps = [...sounds.keys()].flatMap((index) => ['-map', `${index + 1}:a`]);
  await execute('ffmpeg', ['-v', 'error', ...inputs, '-map', '0:v', ...maps, path]);
  return path;
}

const open = async (path: string) => await openSource(path, limits, AbortSignal.timeout(60_000));

const nothing = 'anullsrc,atrim=end=0';

test.each(['webm', 'mkv', 'ts'])(
  'a film in %s whose audio track is empty is a film without sound',
  async (extension) => {
    await inFolder(async (folder) => {
      const source = await open(await writeFilm(folder, extension, nothing));
      expect(source.audio).toBeUndefined();
      expect(source.pictureStream?.sounds).toEqual([{ index: 1, startSeconds: undefined }]);
      expect(() => audioOf(source, 'The output wav')).toThrow(
        new MediaError('no_audio', 'The output wav needs audio, and the audio streams of the source are empty.'),
      );
    });
  },
);

test('the first track with sound is the default, and tracks keep their numbers', async () => {
  await inFolder(async (folder) => {
    const source = await open(await writeFilm(folder, 'mkv', nothing, 'sine=d=1'));
    expect(source.audio?.track).toBe(1);
    expect(source.tracks.map(({ isEmpty }) => isEmpty)).toEqual([true, undefined]);
    expect(chooseTrack(settleFile({ format: 'wav' }), source).track).toBe(1);
    for (const track of ['default', 'Default']) {
      expect(chooseTrack(settleFile({ format: 'wav', track }), source).track).toBe(1);
    }
    expect(() => chooseTrack(settleFile({ format: 'wav', track: 0 }), source)).toThrow(
      'the source has no audio track 0; its only one is 1',
    );
  });
});

test('a track without packets is not empty if the file lacks its end, where its sound may have been', async () => {
  await inFolder(async (folder) => {
    const path = await writeFilm(folder, 'mkv', nothing);
    await truncate(path, (await stat(path)).size - 500);
    expect((await open(path)).audio?.track).toBe(0);
  });
});
