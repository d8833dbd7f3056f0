import type { CommonInput } from '../../contract/workflow/common-input.ts';

/** Each field of `commonInputShape`: workflow code has no zod to ask. */
const commonFields: Record<keyof CommonInput, true> = {
  retry: true,
  owner: true,
  priority: true,
  fairnessKey: true,
  fairnessWeight: true,
  webhook: true,
};

/** The part of an input that is the container's. */
export function requestOf<Input extends CommonInput>(input: Input): Omit<Input, keyof CommonInput> {
  const own = Object.entries(input).filter(([name]) => !Object.hasOwn(commonFields, name));
  return Object.fromEntries(own) as Omit<Input, keyof CommonInput>;
}
