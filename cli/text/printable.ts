/** Escapes control characters, which could move the cursor, change colours or break lines. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
