import type { ChunkActivityResult } from '../../activities/container/chunk.ts';
import type { EncodeActivityResult } from '../../activities/container/encode.ts';
import type { ChunkActivityInput, EncodeActivityInput } from '../../contract/activity.ts';
import { containerActivities } from '../proxies.ts';
import { formatsOf } from '../status/subject.ts';
import type { Step } from './step.ts';

export function encodeStep(
  request: EncodeActivityInput,
  { verb, share }: Pick<Step, 'verb' | 'share'>,
): Step<EncodeActivityResult> {
  const formats = formatsOf(request.outputs);
  return {
    ...{ id: 'encode', verb, share, subject: `format ${formats}`, summary: `encode ${formats}` },
    execute: (summary, context) => containerActivities().encode.executeWithOptions({ summary }, [request, context]),
  };
}

export function chunkStep(
  request: ChunkActivityInput,
  { verb, share }: Pick<Step, 'verb' | 'share'>,
): Step<ChunkActivityResult> {
  const { chunkDuration } = request;
  return {
    ...{ id: 'chunk', verb, share },
    subject: `${chunkDuration}s chunks`,
    summary: `cut into ${chunkDuration} s chunks`,
    execute: (summary, context) => containerActivities().chunk.executeWithOptions({ summary }, [request, context]),
  };
}
