import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../api/holdfast.ts';

/** Polls the server while the page is visible. */
export function usePolled<Answer>(
  ask: () => Promise<Answer>,
  everyMs: number,
): { answer: Signal<Answer | undefined>; problem: Signal<string | undefined>; load: () => Promise<void> } {
  const answer = useSignal<Answer | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const load = async (): Promise<void> => {
    try {
      answer.value = await ask();
      problem.value = undefined;
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  useEffect(() => {
    void load();
    const timer = setInterval(() => {
      if (!document.hidden) void load();
    }, everyMs);
    return () => clearInterval(timer);
  }, []);
  return { answer, problem, load };
}
