interface NamedAudio {
  codec?: string | undefined;
  bitrate?: number | undefined;
}

interface NamedOutput {
  format?: string | undefined;
  preset?: string | undefined;
  container?: string | undefined;
  analysis?: string | undefined;
  image?: string | undefined;
  package?: readonly string[] | undefined;
  audio?: NamedAudio | readonly NamedAudio[] | false | undefined;
  video?: { codec?: string | undefined; height?: number | undefined } | false | undefined;
}

/**
 * One word that names an output for people, errors and files: `mp3_128`, `podcast-aac`, `m4b_aac_64`, `mp4_h264_720`,
 * `peaks`.
 */
export function outputLabel(output: NamedOutput): string {
  const { format, preset, analysis, image, package: kinds, container, video } = output;
  if (kinds !== undefined && preset === undefined) return kinds.join('_');
  const [audio] = [output.audio].flat();
  const ofStreams = [video && video.codec, video && video.height, audio && audio.codec, audio && audio.bitrate];
  const parts = [container, ...ofStreams].filter((part) => part !== undefined && part !== false);
  return format ?? preset ?? analysis ?? image ?? parts.join('_');
}
