import type { CommonInput } from '../../contract/workflow/common-input.ts';

/** All fields of `commonInputShape`; workflow code cannot import zod to derive them. */
const commonFields: Record<keyof CommonInput, true> = {
  retry: true,
  owner: true,
  sourceName: true,
  priority: true,
  fairnessKey: true,
  fairnessWeight: true,
  webhook: true,
};

/** The part of an input that goes to the container. */
export function requestOf<Input extends CommonInput>(input: Input): Omit<Input, keyof CommonInput> {
  const own = Object.entries(input).filter(([name]) => !Object.hasOwn(commonFields, name));
  return Object.fromEntries(own) as Omit<Input, keyof CommonInput>;
}
