import { type SearchState, searchableText } from '../../contract/search-attributes.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { phaseOf, type RunModel, stateOf } from './run-model.ts';
import { isUnderWay, leadingStep, waitOf } from './step-status.ts';
import type { RunSubject } from './subject.ts';

/** The search attributes that a run sets; undefined means no value. An attribute that is left out keeps its value. */
export interface SearchValues {
  HoldfastState: SearchState;
  HoldfastPhase: string;
  HoldfastOwner?: string | undefined;
  HoldfastFormats?: string[] | undefined;
  HoldfastSource?: string | undefined;
  HoldfastWaitUntil: Date | undefined;
}

/** Characters. Temporal allows 2,048 bytes per value; a character takes up to 4 bytes, and the value holds the text twice. */
const maxSourceLength = 240;

/** Undefined between two steps, a moment that is not worth an event in the history. */
export function searchValuesOf(model: RunModel): SearchValues | undefined {
  const { stage, places, subject } = model;
  if (stage.kind === 'steps' && !places.some(isUnderWay)) return undefined;
  const lead = leadingStep(places);
  const wait = stage.kind === 'steps' && lead !== undefined ? waitOf(lead) : undefined;
  return {
    HoldfastState: stage.kind === 'failed' ? stage.ending : stateNames[stateOf(model)],
    HoldfastPhase: phaseOf(model),
    // A run that ends before its input is parsed keeps the owner that the server gave it.
    ...(subject !== undefined && subjectValues(subject)),
    HoldfastWaitUntil: wait === undefined ? undefined : new Date(wait.until),
  };
}

type SubjectValues = Pick<SearchValues, 'HoldfastOwner' | 'HoldfastFormats' | 'HoldfastSource'>;

function subjectValues({ owner, formats, source }: RunSubject): SubjectValues {
  const distinct = [...new Set(formats)];
  return {
    HoldfastOwner: owner,
    HoldfastFormats: distinct.length === 0 ? undefined : distinct,
    HoldfastSource: searchableSource(source),
  };
}

const stateNames: Record<WorkflowStatus['state'], SearchState> = {
  queued: 'queued',
  running: 'running',
  waiting: 'waiting',
  done: 'succeeded',
  failed: 'failed',
};

/** Removes control characters, which visibility stores reject. A long URL keeps its host and file name. */
function searchableSource(source: string): string {
  const characters = Array.from(source.replaceAll(/[\p{Cc}\p{Cs}]/gu, ''));
  if (characters.length <= maxSourceLength) return searchableText(characters.join(''));
  const half = maxSourceLength / 2;
  return searchableText(`${characters.slice(0, half).join('')}…${characters.slice(1 - half).join('')}`);
}
