/** The option of a field: `--split-channels` for `splitChannels`. */
export function flagOf(field: string): string {
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
