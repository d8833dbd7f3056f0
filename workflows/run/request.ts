import type { CommonInput } from '../../contract/workflow/common-input.ts';

/** The part of an input that is the container's. */
export function requestOf<Input extends CommonInput>(input: Input): Omit<Input, keyof CommonInput> {
  const { retry: _, owner: __, priority: ___, fairnessKey: ____, fairnessWeight: _____, ...request } = input;
  return request;
}
