import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { webVttCues } from '../../../engine/subtitles/cue-markup.ts';
import { placeCues } from '../../../engine/subtitles/place-cues.ts';
import { readTextTracks } from '../../../engine/subtitles/read-texts.ts';
import { contentFor } from '../../../engine/subtitles/subtitle-content.ts';
import { findSubtitleProblem } from '../../../engine/subtitles/verify-subtitles.ts';
import { subtitleArguments, writeSubtitles } from '../../../engine/subtitles/write-subtitles.ts';
import { probeFile } from '../../../engine/ffmpeg/probe.ts';
import { openSource } from '../../../engine/source/source.ts';
import { formatVtt } from '../../../engine/formats/webvtt/webvtt.ts';
import { makeMedia } from '../../support/media-files.ts';
import { inFolder, jobIn, limits } from '../sound/segmented/support.ts';

const subRip = `1
00:00:00,500 --> 00:00:01,001
Hello <i>there</i> <b>AT&T</b> 3 < 5

2
00:00:00,900 --> 00:00:01,503
שלום مرحبا 字幕
2

3
00:00:01,600 --> 00:00:01,600
of no length

4
00:00:01,700 --> 00:00:09,000
{\\an8}<font color="#ff0000">up</font>
`;

test("text tracks of any format become WebVTT on an output's clock", async () => {
  await inFolder(async (folder) => {
    await writeFile(join(folder, 's.srt'), subRip);
    const film = ['-f', 'lavfi', '-i', 'testsrc=s=64x36:r=25:d=2', '-i', join(folder, 's.srt')];
    const tracks = ['-map', '0', '-map', '1', '-map', '1', '-metadata:s:s:1', 'language=deu'];
    const tagged = ['-metadata:s:s:1', 'title=Deutsch', '-disposition:s:1', 'forced+hearing_impaired'];
    // The source's clock starts at 3 s, where an output starts too.
    const late = ['-output_ts_offset', '3'];
    const files = [
      await makeMedia(folder, 'a.mkv', ...film, ...tracks, ...tagged, '-c:s:0', 'subrip', '-c:s:1', 'ass', ...late),
      await makeMedia(folder, 'b.mkv', ...film, ...tracks, ...tagged, '-c:s', 'webvtt', ...late),
    ];
    for (const path of files) {
      const { subtitles } = await openSource(path, limits, new AbortController().signal);
      expect(subtitles).toMatchObject([
        { track: 0, index: 1, kind: 'text', language: undefined, isForced: false },
        {
          track: 1,
          index: 2,
          kind: 'text',
          language: 'deu',
          title: 'Deutsch',
          isForced: true,
          isForHardOfHearing: true,
        },
      ]);
      const texts = await readTextTracks(path, subtitles, { limits, job: jobIn(folder) });
      const [plain = []] = [...texts.values()].map(({ cues }) => placeCues(cues, { start: 3, seconds: 2 }));
      expect(plain.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
        [500, 1001],
        [900, 1503],
        // The cue ends with the film.
        [1700, 2000],
      ]);
      if (path !== files[0]) continue;
      expect(formatVtt(webVttCues(plain))).toBe(
        [
          'WEBVTT\n',
          '00:00:00.500 --> 00:00:01.001\nHello <i>there</i> <b>AT&amp;T</b> 3 &lt; 5\n',
          '00:00:00.900 --> 00:00:01.503\nשלום مرحبا 字幕\n2\n',
          '00:00:01.700 --> 00:00:02.000\nup\n',
        ].join('\n'),
      );
      const [one, other] = subtitles.map((track) => webVttCues(texts.get(track)?.cues ?? []));
      expect(other).toEqual(one);
    }
  });
});

test('a finished MP4 whose texts became more than a source may have, because overlaps were merged, is verified', async () => {
  await inFolder(async (folder) => {
    const seconds = 1500;
    const cues = Array.from({ length: 30_000 }, (_, index) => ({
      ...{ startMs: index * 48, endMs: index * 48 + 70, text: `word ${index}` },
    }));
    const content = contentFor('mov_text', { cues }, { start: 0, seconds });
    expect(content.kind === 'cues' && content.cues.length).toBe(59_999);
    const marks = { isDefault: false, isForced: false, isForHardOfHearing: false };
    const plan = {
      tracks: [{ codec: 'mov_text', content, language: undefined, title: undefined, ...marks } as const],
    };
    const path = join(folder, 'film.mp4');
    const inputs = (await writeSubtitles(plan, path)).flatMap((input) => [...input.options, '-i', input.path]);
    const film = ['-f', 'lavfi', '-i', `color=s=64x36:r=1:d=${seconds}`];
    await makeMedia(folder, 'film.mp4', ...film, ...inputs, '-map', '0', ...subtitleArguments(plan, 'mp4', 1));
    const { streams } = await probeFile(path, { signal: new AbortController().signal });
    const texts = streams.filter(({ codec_type }) => codec_type === 'subtitle');
    expect(await findSubtitleProblem(path, plan, 'mp4', texts, { limits, job: jobIn(folder) })).toBeUndefined();
  });
});
