/**
 * Display definition segment of DVB subtitles (EN 300 743, 7.2.1): sync byte, type, page, and a length of 5, or of 13
 * with a window.
 */
const definition = /0f14.{4}00(?:05|0d)..(.{4})(.{4})/g;

/**
 * Display size that broadcast subtitles are meant for. Undefined if no segment declares it; the display is then
 * standard definition.
 */
export function readDisplayDefinition(bytes: Buffer): { width: number; height: number } | undefined {
  // A byte is two hexadecimal digits.
  const found = [...bytes.toString('hex').matchAll(definition)].find(({ index }) => index % 2 === 0);
  const [width = 0, height = 0] = (found ?? []).slice(1).map((side) => Number.parseInt(side, 16) + 1);
  return width > 1 && height > 1 && width <= 4096 && height <= 4096 ? { width, height } : undefined;
}
