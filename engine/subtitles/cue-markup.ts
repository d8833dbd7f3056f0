import type { Cue } from '../formats/webvtt/webvtt.ts';

/** What SubRip says of a text beside its letters, as ffmpeg writes it: tags of HTML, and the place by a code of ASS. */
const markup = /<\/?[biu]>|<font[^<>]*>|<\/font>|\{\\an\d\}/g;

/** ASS draws shapes by lines such as `m 0 0 l 10 0 10 10`, which ffmpeg 5.1 takes for text. */
const drawing = /\bm(?: -?\d+(?:\.\d+)?){2}(?: [bclmnps]| -?\d+(?:\.\d+)?)+/g;

/** A text of ASS that draws shapes: a tag `\\p` with a number, and lines behind it (pure). */
export const hasShapes = (text: string): boolean => /\{[^{}]*\\p[1-9][^{}]*\}[^{}]*\bm /.test(text);

/** Spaces that break no line, and braces that are no markup, as ASS has them (pure). */
export function unescapeAss(text: string): string {
  return text.replaceAll(String.raw`\h`, '\u00a0').replaceAll(/\\([{}])/g, '$1');
}

/** SubRip that becomes ASS: braces that are letters begin no markup there, which would not be drawn (pure). */
export function withLiteralBraces(text: string): string {
  return text.replaceAll(/\{(?!\\)/g, String.raw`\{`);
}

/** A text of ASS without what its styles make of it: shapes, and fonts whose size is of another picture (pure). */
export function withoutStyles(text: string): string {
  return text
    .replaceAll(/<font[^<>]*>|<\/font>/g, '')
    .replaceAll(drawing, '')
    .trim();
}

/** Whether there is anything to see beside markup: some readers take a cue without letters for the end of a WebM (pure). */
export function hasLetters(text: string): boolean {
  return text.replaceAll(markup, '').trim() !== '';
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** As WebVTT has it: bold, italic and underlined stay; its letters can be no markup (pure). */
export function webVttText(text: string): string {
  let result = '';
  let from = 0;
  for (const { 0: tag, index } of text.matchAll(markup)) {
    result += escaped(text.slice(from, index)) + (/^<\/?[biu]>$/.test(tag) ? tag : '');
    from = index + tag.length;
  }
  return result + escaped(text.slice(from));
}

/** Cues with the markup of SubRip for a file of WebVTT (pure). */
export function webVttCues(cues: readonly Cue[]): Cue[] {
  return cues.map((cue) => ({ ...cue, text: webVttText(cue.text) }));
}
