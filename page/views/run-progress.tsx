import type { RunView } from '../../contract/server/run.ts';
import { progressTexts } from '../progress-texts.ts';
import { nowMs } from '../state/now.ts';
import { formatBytes, formatSpan } from '../words/format.ts';
import { phaseWords, placeWords, waitWords } from '../words/progress-words.ts';

/** Progress as a bar and as text. */
export function RunProgress({ run }: { run: RunView }) {
  const { state, percent, phase, etaSeconds, attempt, video } = run;
  const isKnown = state === 'running' && percent !== undefined;
  const facts = [
    ...(state === 'waiting' ? [waitWords(run, nowMs.value)] : []),
    ...(state === 'queued' ? placeWords(run, nowMs.value) : []),
    ...(state === 'running' && phase !== undefined ? [phaseWords(phase)] : []),
    ...(isKnown ? [progressTexts.progress.percent(Math.round(percent))] : []),
    ...(state === 'running' && video !== undefined
      ? [progressTexts.progress.frames(video.frames, video.fps), formatBytes(video.size)]
      : []),
    ...(state === 'running' && etaSeconds !== undefined && etaSeconds >= 1
      ? [progressTexts.progress.eta(formatSpan(Math.ceil(etaSeconds)))]
      : []),
    ...(attempt !== undefined && attempt > 1 ? [progressTexts.progress.attempt(attempt)] : []),
  ];
  return (
    <div class="progress">
      <progress max="100" value={isKnown ? percent : (percent ?? 0)} aria-label={progressTexts.progress.label} />
      <span class="small quiet">{facts.join(' · ')}</span>
    </div>
  );
}
