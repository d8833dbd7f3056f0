import type { Cue } from '../formats/webvtt/webvtt.ts';

/** SubRip's markup as ffmpeg writes it: HTML tags, and an ASS code for the position. */
const markup = /<\/?[biu]>|<font[^<>]*>|<\/font>|\{\\an\d\}/g;

/** ASS draws shapes with lines such as `m 0 0 l 10 0 10 10`, which ffmpeg 5.1 takes for text. */
const drawing = /\bm(?: -?\d+(?:\.\d+)?){2}(?: [bclmnps]| -?\d+(?:\.\d+)?)+/g;

/** True if a text of ASS draws shapes: a tag `\\p` with a number, followed by drawing commands. */
export function hasShapes(text: string): boolean {
  // One expression for both conditions would backtrack for minutes.
  const blocks = [...text.matchAll(/\{([^{}]*)\}([^{}]*)/g)];
  return blocks.some(([, tags = '', after = '']) => /\\p[1-9]/.test(tags) && /\bm /.test(after));
}

/** Replaces ASS's escapes for non-breaking spaces and for literal braces. */
export function unescapeAss(text: string): string {
  return text.replaceAll(String.raw`\h`, '\u00a0').replaceAll(/\\([{}])/g, '$1');
}

/** Escapes literal braces in SubRip text that becomes ASS, where they would start markup and vanish. */
export function withLiteralBraces(text: string): string {
  return text.replaceAll(/\{(?!\\)/g, String.raw`\{`);
}

/** Removes shapes and font sizes from an ASS text, because they depend on its styles. */
export function withoutStyles(text: string): string {
  return text
    .replaceAll(/<font[^<>]*>|<\/font>/g, '')
    .replaceAll(drawing, '')
    .trim();
}

/** True if text remains without the markup. Some readers take a cue without text for the end of a WebM. */
export function hasLetters(text: string): boolean {
  return text.replaceAll(markup, '').trim() !== '';
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Converts to WebVTT: bold, italic and underline stay, and literal characters are escaped. */
export function webVttText(text: string): string {
  let result = '';
  let from = 0;
  for (const { 0: tag, index } of text.matchAll(markup)) {
    result += escaped(text.slice(from, index)) + (/^<\/?[biu]>$/.test(tag) ? tag : '');
    from = index + tag.length;
  }
  return result + escaped(text.slice(from));
}

/** Converts cues with SubRip markup for a WebVTT file. */
export function webVttCues(cues: readonly Cue[]): Cue[] {
  return cues.map((cue) => ({ ...cue, text: webVttText(cue.text) }));
}
