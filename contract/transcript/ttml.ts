import type { Cue } from './cues.ts';
import { formatTime } from './subtitles.ts';

/** A name that somebody gave may be no XML id. */
const agentId = (index: number): string => `speaker-${index + 1}`;

function headOf(speakers: readonly string[]): string {
  const agents = speakers.map(
    (name, index) =>
      `\n      <ttm:agent xml:id="${agentId(index)}" type="person"><ttm:name type="alias">${escapeXml(name)}</ttm:name></ttm:agent>`,
  );
  const metadata = agents.length === 0 ? '' : `\n    <metadata>${agents.join('')}\n    </metadata>`;
  return `  <head>${metadata}
    <styling>
      <style xml:id="text" tts:fontFamily="proportionalSansSerif" tts:fontSize="100%" tts:lineHeight="125%" tts:textAlign="center" tts:color="white"/>
      <style xml:id="line" tts:backgroundColor="#000000cc"/>
    </styling>
    <layout>
      <region xml:id="bottom" tts:origin="10% 70%" tts:extent="80% 25%" tts:displayAlign="after"/>
    </layout>
  </head>`;
}

/** TTML in the text profile of IMSC 1.1 (W3C), with one region at the bottom of the picture. */
export function toTtml(cues: readonly Cue[], language: string | undefined): string {
  const speakers = [...new Set(cues.flatMap(({ speaker }) => speaker ?? []))];
  const paragraphs = cues.map(({ start, end, lines, speaker }) => {
    const agent = speaker === undefined ? '' : ` ttm:agent="${agentId(speakers.indexOf(speaker))}"`;
    const text = lines.map(escapeXml).join('<br/>');
    return `      <p begin="${formatTime(start, '.')}" end="${formatTime(end, '.')}"${agent}><span style="line">${text}</span></p>\n`;
  });
  // An empty language says that it is unknown.
  return `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling"${speakers.length === 0 ? '' : ' xmlns:ttm="http://www.w3.org/ns/ttml#metadata"'} ttp:contentProfiles="http://www.w3.org/ns/ttml/profile/imsc1.1/text" ttp:timeBase="media" ttp:cellResolution="32 15" xml:lang="${escapeXml(language ?? '')}">
${headOf(speakers)}
  <body region="bottom" style="text">
    <div>
${paragraphs.join('')}    </div>
  </body>
</tt>
`;
}

function escapeXml(text: string): string {
  return (
    text
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
      // XML 1.0 has no control characters, even escaped.
      .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
  );
}
