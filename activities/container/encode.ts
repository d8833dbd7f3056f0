import type { z } from 'zod';
import type { AttemptContext, EncodeActivityInput, Submission } from '../../contract/activity.ts';
import type { EncodeRequest } from '../../contract/http/encode.ts';
import type { EncodePart } from '../../contract/http/part.ts';
import type { RequestedOutput } from '../../contract/http/output.ts';
import type { ContainerLink } from '../../contract/http/tags.ts';
import { subtitleFields } from '../../contract/subtitle-settings.ts';
import type { WorkflowLink } from '../../contract/workflow/encode.ts';
import type { RequestUrls } from '../storage/request-urls.ts';
import { isKnownSource } from './known-source.ts';
import { resolveEncryption } from './resolve-encryption.ts';
import { type HeaderSecrets, resolveHeaders } from './resolve-headers.ts';
import { assertInputsKept, requestPlace } from './request-place.ts';
import { runAttempt } from './run-attempt.ts';
import { type SubmitDependencies, submitJob } from './submit-job.ts';

export function encodeActivity(dependencies: SubmitDependencies) {
  return async function encode(input: EncodeActivityInput, context: AttemptContext): Promise<Submission> {
    const { headers, outputs, unlessSource, part, ...rest } = input;
    const secrets = { ...dependencies, requester: context.requester };
    const body = async (urls: RequestUrls): Promise<z.input<typeof EncodeRequest>> => {
      const sourceUrl = await urls.resolveSource(rest.sourceUrl);
      const requested = await Promise.all(
        outputs.map(async ({ headers: uploadHeaders, uploadUrl, uploadUrlPrefix, encryption, ...output }) => {
          const place = uploadUrl ?? { prefix: uploadUrlPrefix ?? '' };
          const { asked, written } = await requestPlace(place, urls);
          const resolved = {
            ...output,
            chapters: await resolveLink(output.chapters, urls.links, secrets),
            cover: await resolveLink(output.cover, urls.links, secrets),
            watermark: await resolveLink(output.watermark, urls.links, secrets),
            ...(await resolveEncryption(encryption, urls.links, secrets)),
            subtitles: await resolveSubtitles(output.subtitles, urls.links, secrets),
            ...(storesOutputs(part)
              ? { ...asked, ...resolveHeaders(uploadHeaders, uploadUrl ?? '', secrets) }
              : ({ deliver: 'on_demand' } as const)),
          };
          return { output: resolved, written };
        }),
      );
      assertInputsKept(sourceUrl, requested);
      return {
        ...rest,
        sourceUrl,
        ...resolveHeaders(headers, rest.sourceUrl, secrets),
        outputs: requested.map(({ output }) => output),
        ...(part !== undefined && { part: await resolvePart(part, urls.links) }),
      };
    };
    return runAttempt(context, dependencies.clients, async (attempt) => {
      if (unlessSource !== undefined && (await isKnownSource(input, unlessSource, attempt, dependencies))) {
        return { kind: 'finished', state: attempt.state, result: { unchanged: true } };
      }
      // An older version may have requested a job of this run without these fields.
      const ofPreset = outputs.some(({ presetSubtitles }) => presetSubtitles) ? ':preset-subtitles' : '';
      const ofClock = outputs.some(({ subtitles }) => isOnSoundClock(subtitles)) ? ':sound-clock' : '';
      return await submitJob({ kind: 'encode', body, keySuffix: ofPreset + ofClock }, attempt, dependencies);
    });
  };
}

/** Whether the job stores the outputs. Other parts of a spread encode store files of their own, or none. */
const storesOutputs = (part: EncodePart | undefined): boolean => part === undefined || part.kind === 'join';

async function resolvePart(part: EncodePart, urls: RequestUrls): Promise<EncodePart> {
  if (part.kind !== 'join') return part;
  const segments = part.segments.map((files) =>
    Promise.all(files.map(async ({ url, ...file }) => ({ ...file, url: await urls.resolveSource(url) }))),
  );
  const sounds = part.sounds?.map(async ({ url, ...file }) => ({ ...file, url: await urls.resolveSource(url) }));
  return {
    ...part,
    segments: await Promise.all(segments),
    ...(sounds !== undefined && { sounds: await Promise.all(sounds) }),
  };
}

/** Replaces a workflow link by a link that the container can read. */
type Resolved<Choice> = Choice extends WorkflowLink ? Omit<Choice, 'headers'> & ContainerLink : Choice;

async function resolveLink<Choice>(
  choice: Choice,
  urls: RequestUrls,
  secrets: HeaderSecrets,
): Promise<Resolved<Choice>> {
  if (!isLink(choice)) return choice as Resolved<Choice>;
  const { url, headers, ...rest } = choice;
  return { ...rest, url: await urls.resolveSource(url), ...resolveHeaders(headers, url, secrets) } as Resolved<Choice>;
}

type AskedSubtitles = EncodeActivityInput['outputs'][number]['subtitles'];

async function resolveSubtitles(
  subtitles: AskedSubtitles,
  urls: RequestUrls,
  secrets: HeaderSecrets,
): Promise<RequestedOutput['subtitles']> {
  if (subtitles === undefined || typeof subtitles === 'string') return subtitles;
  const { add, burn, ...rest } = subtitles;
  return {
    ...rest,
    add: add && (await Promise.all(add.map((file) => resolveLink(file, urls, secrets)))),
    burn: await resolveLink(burn, urls, secrets),
  };
}

function isOnSoundClock(subtitles: AskedSubtitles): boolean {
  const { add = [], burn } = subtitleFields(subtitles);
  return [...add, burn].some((file) => isLink(file) && 'clock' in file);
}

function isLink(choice: unknown): choice is WorkflowLink {
  return typeof choice === 'object' && choice !== null && 'url' in choice;
}
