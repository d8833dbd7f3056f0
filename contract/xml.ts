/** Escapes a text for the content of an XML element. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[<>&'"]/g, (character) => `&#${character.codePointAt(0)};`);
}
