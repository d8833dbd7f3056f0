/**
 * Limits of decoders by level, from the codecs' standards. Sizes and rates are in macroblocks of 16x16 pixels (H.264)
 * and in pixels (HEVC); bitrates and buffers in kbit/s and kbit. Workflow code bundles this file at run time.
 */
export interface VideoLevel {
  /** Size of one picture. */
  size: number;
  /** units of size per second */
  rate: number;
  bitrate: number;
  buffer: number;
}

const level = (size: number, rate: number, bitrate: number, buffer: number): VideoLevel => {
  return { size, rate, bitrate, buffer };
};

/** H.264 (ITU-T H.264, 08/2021), table A-1; HEVC (ITU-T H.265, 08/2021), tables A.8 and A.9, Main tier. */
export const videoLevels: Readonly<Partial<Record<string, Readonly<Record<string, VideoLevel>>>>> = {
  h264: {
    '1': level(99, 1485, 64, 175),
    '1.1': level(396, 3000, 192, 500),
    '1.2': level(396, 6000, 384, 1000),
    '1.3': level(396, 11_880, 768, 2000),
    '2': level(396, 11_880, 2000, 2000),
    '2.1': level(792, 19_800, 4000, 4000),
    '2.2': level(1620, 20_250, 4000, 4000),
    '3': level(1620, 40_500, 10_000, 10_000),
    '3.1': level(3600, 108_000, 14_000, 14_000),
    '3.2': level(5120, 216_000, 20_000, 20_000),
    '4': level(8192, 245_760, 20_000, 25_000),
    '4.1': level(8192, 245_760, 50_000, 62_500),
    '4.2': level(8704, 522_240, 50_000, 62_500),
    '5': level(22_080, 589_824, 135_000, 135_000),
    '5.1': level(36_864, 983_040, 240_000, 240_000),
    '5.2': level(36_864, 2_073_600, 240_000, 240_000),
    '6': level(139_264, 4_177_920, 240_000, 240_000),
    '6.1': level(139_264, 8_355_840, 480_000, 480_000),
    '6.2': level(139_264, 16_711_680, 800_000, 800_000),
  },
  hevc: {
    '1': level(36_864, 552_960, 128, 350),
    '2': level(122_880, 3_686_400, 1500, 1500),
    '2.1': level(245_760, 7_372_800, 3000, 3000),
    '3': level(552_960, 16_588_800, 6000, 6000),
    '3.1': level(983_040, 33_177_600, 10_000, 10_000),
    '4': level(2_228_224, 66_846_720, 12_000, 12_000),
    '4.1': level(2_228_224, 133_693_440, 20_000, 20_000),
    '5': level(8_912_896, 267_386_880, 25_000, 25_000),
    '5.1': level(8_912_896, 534_773_760, 40_000, 40_000),
    '5.2': level(8_912_896, 1_069_547_520, 60_000, 60_000),
    '6': level(35_651_584, 1_069_547_520, 60_000, 60_000),
    '6.1': level(35_651_584, 2_139_095_040, 120_000, 120_000),
    '6.2': level(35_651_584, 4_278_190_080, 240_000, 240_000),
  },
};

/** `4.0` and `4` are one level. */
export function canonicalLevel(name: string): string {
  return name.replace(/\.0$/, '');
}

/** Levels in ascending order; undefined if the codec has none (pure). */
export function levelNames(codec: string): string[] | undefined {
  const levels = videoLevels[codec];
  // Objects list integer keys first.
  return levels && Object.keys(levels).toSorted((one, other) => Number(one) - Number(other));
}
