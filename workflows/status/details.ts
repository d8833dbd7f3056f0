import { chunkLines } from './chunk-lines.ts';
import { attemptOf, percentOf, type RunModel, spreadStatus } from './run-model.ts';
import { isUnderWay, leadingStep, shownHost, type StepPlace, waitOf } from './step-status.ts';
import { waitSummary } from './wait-text.ts';

/** The run's current details in the Web UI, as Markdown. */
export function currentDetails(model: RunModel): string {
  const view = model.chunksView?.();
  const percent = percentOf(model, view);
  const lines = [`**${model.workflowType}** · ${headline(model, percent)}`];
  if (model.subject !== undefined) lines.push('', model.subject.text);
  const underWay = model.places.filter(isUnderWay);
  const spread = spreadStatus(model);
  if (spread !== undefined && spread.segments > 0) {
    const { segments, done, running, waiting } = spread;
    lines.push('', `${done} of ${segments} segments encoded · ${running} running · ${waiting} waiting`);
  }
  // The headline does not name its step, and a spread run has several kinds of steps.
  if (underWay.length > 1 || (spread !== undefined && underWay.length > 0))
    lines.push('', ...underWay.map((place) => `* ${place.id}: ${stepLine(place, place.percent)}`));
  if (view !== undefined) lines.push('', ...chunkLines(view));
  for (const finding of model.findings ?? []) lines.push('', finding);
  return lines.join('\n');
}

function headline(model: RunModel, percent: number): string {
  const { stage, places } = model;
  const attempt = attemptOf(model);
  switch (stage.kind) {
    case 'preparing':
      return 'reading the input';
    case 'steps': {
      const underWay = places.filter(isUnderWay);
      if (underWay.length > 1) return `${underWay.length} steps in progress · ${percentText(percent)}`;
      const lead = leadingStep(places);
      return lead === undefined ? percentText(percent) : stepLine(lead, percent);
    }
    case 'processing':
      return `processing the chunks · ${percentText(percent)}`;
    case 'assembling':
      return `assembling the transcript · ${percentText(percent)}`;
    case 'done':
      return stage.shortfall ?? `done after ${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}`;
    case 'failed':
      return `failed on attempt ${attempt} · ${stage.message}`;
  }
}

function stepLine(place: StepPlace, percent: number): string {
  const { attempt, situation } = place;
  switch (situation.kind) {
    case 'queued':
      return `attempt ${attempt} · waiting for a free container · ${percentText(percent)}`;
    case 'running': {
      const { progress } = situation;
      if (progress === undefined) return 'made by another run';
      const { phase, etaSeconds, location } = progress;
      const left = etaSeconds === undefined ? '' : ` · about ${Math.ceil(etaSeconds)} s left`;
      return `attempt ${attempt} · ${phase} · ${percentText(percent)}${left} · at ${shownHost(location.containerUrl)}`;
    }
    case 'waiting': {
      const { reason, seconds, sinceMs } = situation;
      const error = waitOf(place)?.error;
      const why = error === undefined ? '' : ` · ${error}`;
      return `attempt ${attempt} · ${waitSummary(reason, seconds, sinceMs)} · ${percentText(percent)}${why}`;
    }
    case 'done':
    case 'failed':
      return `attempt ${attempt} · ${situation.kind} · ${percentText(percent)}`;
  }
}

function percentText(percent: number): string {
  return `${Math.floor(percent)} %`;
}
