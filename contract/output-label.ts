/** What a request or an answer says of an output, as far as it names it. */
interface NamedOutput {
  format?: string | undefined;
  preset?: string | undefined;
  container?: string | undefined;
  analysis?: string | undefined;
  image?: string | undefined;
  audio?: { codec?: string | undefined; bitrate?: number | undefined } | undefined;
}

/** One word for an output, for people, for errors and for names of files: `mp3_128`, `podcast-aac`, `m4b_aac_64`, `peaks`. */
export function outputLabel({ format, preset, analysis, image, container, audio }: NamedOutput): string {
  const parts = [container, audio?.codec, audio?.bitrate].filter((part) => part !== undefined);
  return format ?? preset ?? analysis ?? image ?? parts.join('_');
}
