import { expect, test } from 'vitest';
import { type VideoLevel, levelNames, videoLevels } from '../../contract/video-levels.ts';

/**
 * As FFmpeg has the tables of the standards (commit 25c8507): `h264_levels` of libavcodec/h264_levels.c, with a size, a rate, a bitrate and a buffer as
 * MaxFS, MaxMBPS, MaxBR and MaxCPB; `h265_levels` of libavcodec/h265_profile_level.c with MaxLumaPs, MaxLumaSr, BrFactor and CpbFactor of the Main tier.
 * 1b, the level between 1 and 1.1, nobody can ask for here.
 */
const tables: Record<string, readonly (readonly [name: string, ...limits: number[]])[]> = {
  h264: [
    ['1', 99, 1485, 64, 175],
    ['1.1', 396, 3000, 192, 500],
    ['1.2', 396, 6000, 384, 1000],
    ['1.3', 396, 11880, 768, 2000],
    ['2', 396, 11880, 2000, 2000],
    ['2.1', 792, 19800, 4000, 4000],
    ['2.2', 1620, 20250, 4000, 4000],
    ['3', 1620, 40500, 10000, 10000],
    ['3.1', 3600, 108000, 14000, 14000],
    ['3.2', 5120, 216000, 20000, 20000],
    ['4', 8192, 245760, 20000, 25000],
    ['4.1', 8192, 245760, 50000, 62500],
    ['4.2', 8704, 522240, 50000, 62500],
    ['5', 22080, 589824, 135000, 135000],
    ['5.1', 36864, 983040, 240000, 240000],
    ['5.2', 36864, 2073600, 240000, 240000],
    ['6', 139264, 4177920, 240000, 240000],
    ['6.1', 139264, 8355840, 480000, 480000],
    ['6.2', 139264, 16711680, 800000, 800000],
  ],
  hevc: [
    ['1', 36864, 552960, 128, 350],
    ['2', 122880, 3686400, 1500, 1500],
    ['2.1', 245760, 7372800, 3000, 3000],
    ['3', 552960, 16588800, 6000, 6000],
    ['3.1', 983040, 33177600, 10000, 10000],
    ['4', 2228224, 66846720, 12000, 12000],
    ['4.1', 2228224, 133693440, 20000, 20000],
    ['5', 8912896, 267386880, 25000, 25000],
    ['5.1', 8912896, 534773760, 40000, 40000],
    ['5.2', 8912896, 1069547520, 60000, 60000],
    ['6', 35651584, 1069547520, 60000, 60000],
    ['6.1', 35651584, 2139095040, 120000, 120000],
    ['6.2', 35651584, 4278190080, 240000, 240000],
  ],
};

test('every level of every codec has the limits that FFmpeg has', () => {
  const asRows = (levels: Readonly<Record<string, VideoLevel>> = {}) =>
    Object.entries(levels).map(([name, { size, rate, bitrate, buffer }]) => [name, size, rate, bitrate, buffer]);
  expect(Object.keys(videoLevels)).toEqual(Object.keys(tables));
  for (const [codec, rows] of Object.entries(tables)) {
    const byName = (one: unknown[], other: unknown[]) => Number(one[0]) - Number(other[0]);
    expect(asRows(videoLevels[codec]).toSorted(byName), codec).toEqual(rows);
    expect(levelNames(codec), codec).toEqual(rows.map(([name]) => name));
  }
});
