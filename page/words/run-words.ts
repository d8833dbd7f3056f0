import type { RunView } from '../../contract/server/run.ts';
import { nameOfSource } from './format.ts';

export function nameOfRun({ id, source }: Pick<RunView, 'id' | 'source'>): string {
  return source === undefined ? id : nameOfSource(source);
}

export function isActive({ state }: Pick<RunView, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'waiting';
}
