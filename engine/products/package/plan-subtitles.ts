import type { FileSettings } from '../../../contract/file-settings.ts';
import { webVttCues } from '../../subtitles/cue-markup.ts';
import type { CueWindows, SubtitlePlan } from '../../plan/subtitle-plan.ts';
import { planSubtitles } from '../../subtitles/plan-subtitles.ts';
import type { SubtitleOfLink, SubtitleSource } from '../../subtitles/subtitle-source.ts';
import type { PackageSubtitles } from './package-plan.ts';
import { knownLanguage, languageName, numberAlike, shownTitle } from './track-names.ts';

/** A blank line would end the text. */
const withoutBlankLines = (text: string): string => text.replaceAll(/\n\s*\n/g, '\n').trim();

/** Plans and describes the subtitles of a package (pure). */
export function planPackageSubtitles(
  output: FileSettings,
  source: SubtitleSource,
  linked: SubtitleOfLink,
  windows: CueWindows,
): { plan: SubtitlePlan | undefined; tracks: PackageSubtitles[] } {
  const plan = planSubtitles({ ...output, container: 'webm' }, source, linked, windows);
  const planned = plan?.tracks ?? [];
  const names = numberAlike(Array<string>(planned.length).fill('s'), '-');
  const languages = planned.map(({ language }) => knownLanguage(language));
  const shown = planned.map(({ title }, index) => shownTitle(title) ?? languageName(languages[index]) ?? 'Subtitles');
  const titles = numberAlike(shown, ' ');
  // Players turn on only one, whatever the files declare.
  const first = planned.findIndex(({ isDefault }) => isDefault);
  const tracks = planned.map(({ content, isForced, isForHardOfHearing }, index): PackageSubtitles => {
    const cues = content.kind === 'cues' ? webVttCues(content.cues) : [];
    return {
      ...{ name: names[index] ?? '', title: titles[index] ?? '', language: languages[index] },
      cues: cues.map((cue) => ({ ...cue, text: withoutBlankLines(cue.text) })).filter(({ text }) => text !== ''),
      ...{ isDefault: index === first, isForced, isForHardOfHearing },
    };
  });
  return { plan, tracks };
}
