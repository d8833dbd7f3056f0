/** For a screen: control characters in the name of a file would move its cursor, colour it, or break a line of a table. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
