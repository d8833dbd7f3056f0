import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { messageOf } from '../api/holdfast.ts';
import { texts } from '../texts.ts';

/** A component that is loaded when it is first shown. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<{ View: ComponentType<Props> } | undefined>(undefined);
  const problem = signal<string | undefined>(undefined);
  let loading: Promise<void> | undefined;
  return function Later(props: Props) {
    loading ??= load().then(
      (View) => void (loaded.value = { View }),
      (error: unknown) => void (problem.value = messageOf(error)),
    );
    if (loaded.value !== undefined) return <loaded.value.View {...props} />;
    return <p class="quiet">{problem.value ?? texts.loading}</p>;
  };
}
