import { setTimeout as sleep } from 'node:timers/promises';
import type { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import { failureType } from '../contract/error-codes.ts';
import { linkedFiles } from '../contract/linked-files.ts';
import { inputMatcher, replacesInput } from '../contract/places.ts';
import type { Requester } from '../contract/requester.ts';
import { isHttpUrl } from '../contract/url-scheme.ts';
import type { CommonInput } from '../contract/workflow/common-input.ts';
import { inputFilesOf } from '../contract/workflow/encode.ts';
import { transcriptPlace } from '../contract/workflow/transcript.ts';
import { inputSchemas, type WorkflowInputs, type WorkflowType } from '../contract/workflow/inputs.ts';
import { findWebhookSecret, missingSecret, type WebhookSettings } from './webhook/send-webhook.ts';
import { finalFailure } from './final-failure.ts';
import { backendOf, type Stores } from '../stores/backends.ts';
import { isSignedPrefix } from '../stores/object-url.ts';
import { StorageError } from '../stores/store-error.ts';
import { RequestUrls, requireRelay, storeNotUsable } from './storage/request-urls.ts';

/** The activity ends within five seconds. A source of credentials may need longer. */
const mostSigningMs = 2_000;

/** An input with 10,000 invalid chunks has as many issues. */
const maxIssues = 20;

/** Parses the input of a workflow, because workflow code cannot import zod. */
export async function prepare<Type extends WorkflowType>(type: Type, input: unknown): Promise<WorkflowInputs[Type]> {
  const parsed = inputSchemas[type].safeParse(input);
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, maxIssues);
    throw invalidRequest(`The input of "${type}" is not valid:\n${z.prettifyError({ issues })}`, issues);
  }
  const unreadable = urlsOf(parsed.data).find((url) => backendOf(url)?.isObjectUrl(url) === false);
  if (unreadable !== undefined) {
    throw invalidRequest(
      `The input of "${type}" is not valid: ${unreadable} does not name ${backendOf(unreadable)?.names}`,
      [],
    );
  }
  return parsed.data;
}

/** Adds the checks that need the worker's settings. Without webhook settings, other workers send the webhooks. */
export function prepareActivity(webhooks: Pick<WebhookSettings, 'secrets'> | undefined, stores: Stores) {
  return async <Type extends WorkflowType>(
    type: Type,
    input: unknown,
    requester?: Requester,
  ): Promise<WorkflowInputs[Type]> => {
    const prepared = await prepare(type, input);
    // A run that fails by one of the later checks reports its failure to its webhook.
    if (webhooks !== undefined) requireWebhookSecret(type, webhooks, prepared, requester);
    for (const url of urlsOf(prepared)) await requireSettings(stores, url);
    if ('transcript' in prepared) await requireKeptInputs(stores, prepared);
    return prepared;
  };
}

function requireWebhookSecret(
  type: WorkflowType,
  { secrets }: Pick<WebhookSettings, 'secrets'>,
  { webhook }: Pick<CommonInput, 'webhook'>,
  requester: Requester | undefined,
): void {
  if (webhook === undefined || findWebhookSecret(secrets, webhook, requester) !== undefined) return;
  throw invalidRequest(
    `The input of "${type}" is not valid: webhook.secret is "${webhook.secret}", but the workers have no ${missingSecret(webhook)}`,
    [],
  );
}

/** Throws if the worker cannot make the URL's file reachable for a container. */
async function requireSettings(stores: Stores, url: string): Promise<void> {
  const store = await stores.at(url);
  if (store?.kind !== 'relayed') return;
  await requireRelay(stores, store, url).catch((error: unknown) => {
    if (!(error instanceof StorageError) || error.passing) throw error;
    throw finalFailure(storeNotUsable, error.message);
  });
}

/**
 * Throws if the transcript, which workers write, would replace a file that the run reads. The input's schema cannot
 * compare `s3:` with `https:` URLs, and containers compare only their own targets.
 */
async function requireKeptInputs(stores: Stores, input: WorkflowInputs['encode']): Promise<void> {
  const { transcript } = input;
  const files = inputFilesOf(input);
  if (transcript === undefined || !isSignedPrefix(transcript.uploadUrlPrefix)) return;
  if (!files.some(({ url }) => isHttpUrl(url))) return;
  const signed = async (url: string): Promise<string> => {
    if (backendOf(url)?.signs !== true) return url;
    // Later steps report credentials that are missing or slow, and wait for them.
    const signing = new RequestUrls(stores, undefined).resolveSource(url).catch(() => url);
    return await Promise.race([signing, sleep(mostSigningMs, url, { ref: false })]);
  };
  const { url, names } = transcriptPlace(transcript);
  const example = signed(`${url}-`);
  const inputs = await Promise.all(files.map(async ({ field, url }) => ({ field, url: await signed(url) })));
  const prefix = new URL(await example);
  prefix.pathname = prefix.pathname.slice(0, -1);
  const field = inputMatcher(inputs)({ url: prefix.href, ...(names !== undefined && { names }) });
  if (field === undefined) return;
  const message = `The input of "encode" is not valid: transcript.uploadUrlPrefix ${replacesInput(field)}`;
  throw invalidRequest(message, []);
}

/** All URLs of the run; one example file stands for all files under a prefix. */
function urlsOf(input: WorkflowInputs[WorkflowType]): string[] {
  const urls = [input.sourceUrl];
  if ('outputs' in input) {
    for (const output of input.outputs) {
      const { uploadUrl, uploadUrlPrefix } = output;
      urls.push(uploadUrl ?? `${uploadUrlPrefix}name`, ...linkedFiles(output, 'output').map(({ url }) => url));
    }
  }
  if ('chunks' in input) urls.push(...(input.chunks ?? []).map((chunk) => chunk.uploadUrl));
  if ('transcript' in input && input.transcript !== undefined) urls.push(`${input.transcript.uploadUrlPrefix}name`);
  if ('uploadUrlPrefix' in input && input.uploadUrlPrefix !== undefined) urls.push(`${input.uploadUrlPrefix}name`);
  return urls;
}

function invalidRequest(message: string, issues: readonly z.core.$ZodIssue[]): ApplicationFailure {
  return finalFailure(failureType('invalid_request'), message, { issues });
}
