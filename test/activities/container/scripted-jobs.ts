import { afterEach } from 'vitest';
import {
  accepted,
  answer,
  errorAnswer,
  jobView,
  ScriptedContainer,
  type Script,
  type ScriptedReply,
} from '../../fixtures/scripted-container.ts';

export const running: ScriptedReply = answer(200, jobView(1));
export const notFound = errorAnswer(404, 'not_found');

interface JobScript {
  post?: ScriptedReply[];
  get?: ScriptedReply[];
  events?: ScriptedReply[];
}

/** Replies from each list in order; the last one repeats. */
export function jobScript({ post = [accepted], get = [running], events = [notFound] }: JobScript): Script {
  return ({ method, path }, index) => {
    const replies = method === 'POST' ? post : path.endsWith('/events') ? events : get;
    if (method === 'DELETE') return answer(200, jobView(1));
    return replies[Math.min(index, replies.length - 1)] ?? notFound;
  };
}

/** Returns a function that starts containers and stops them after their test. */
export function useScriptedContainers(): (script: Script) => Promise<ScriptedContainer> {
  const started: ScriptedContainer[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((container) => container.stop()));
  });
  return async (script) => {
    const container = await ScriptedContainer.start(script);
    started.push(container);
    return container;
  };
}
