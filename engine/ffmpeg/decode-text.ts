import { isUtf8 } from 'node:buffer';

const windows1252 = new TextDecoder('windows-1252');

/** Decodes a text. Old programs wrote tags in Windows-1252. Any valid character beyond ASCII shows damaged UTF-8. */
export function decodeText(bytes: Buffer): string {
  const decoded = bytes.toString();
  return isUtf8(bytes) || !/^[\p{ASCII}\ufffd]*$/u.test(decoded) ? decoded : windows1252.decode(bytes);
}

/** Decodes each line by itself. ffprobe prints one tag a line. */
export function decodeLines(printed: Buffer): string {
  if (isUtf8(printed)) return printed.toString();
  return printed.toString('latin1').replaceAll(/[\x80-\xff].*/g, (text) => decodeText(Buffer.from(text, 'latin1')));
}
