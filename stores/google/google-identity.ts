import { request } from 'undici';
import { z } from 'zod';
import { errnoOf } from '../../contract/unknown-values.ts';
import { CredentialsUnavailable } from '../store-error.ts';

/** Healthy services answer at once. A machine outside of Google's cloud has no service of metadata. */
const answerTimeoutMs = 5_000;
/** A token ends this long before its last second, so that no request is late. */
const tokenMarginMs = 60_000;

const TokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const SignatureAnswer = z.object({ signedBlob: z.base64() });

export interface GoogleAccount {
  email: string;
  /** The signature in hex. */
  sign(text: string): Promise<string>;
}

interface Services {
  /** Metadata of the machine, which has the tokens of its identity. */
  metadata: string;
  /** API of IAM, which signs for the service account. */
  iam: string;
}

/**
 * A service account whose key stays at Google: the identity of this machine or pod asks IAM for each signature. Errors
 * contain no token.
 */
export function machineAccount(email: string, { metadata, iam }: Services): GoogleAccount {
  let known: { token: string; untilMs: number } | undefined;
  const newToken = shared(async (): Promise<string> => {
    const url = `${metadata}/computeMetadata/v1/instance/service-accounts/default/token`;
    const asked = { method: 'GET', headers: { 'metadata-flavor': 'Google' } } as const;
    const { access_token: token, expires_in: seconds } = await ask(url, asked, TokenAnswer);
    known = { token, untilMs: Date.now() + seconds * 1000 - tokenMarginMs };
    return token;
  });
  const freshToken = async (): Promise<string> =>
    known !== undefined && Date.now() < known.untilMs ? known.token : await newToken();
  return {
    email,
    // https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/signBlob
    async sign(text) {
      const headers = { authorization: `Bearer ${await freshToken()}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ payload: Buffer.from(text).toString('base64') });
      const url = `${iam}/v1/projects/-/serviceAccounts/${encodeURIComponent(email)}:signBlob`;
      const answer = ask(url, { method: 'POST', headers, body }, SignatureAnswer);
      const { signedBlob } = await answer.catch((error: unknown) => {
        // The token may be revoked, or a step of the clock hides that it has ended.
        known = undefined;
        throw error;
      });
      return Buffer.from(signedBlob, 'base64').toString('hex');
    },
  };
}

/** Calls that overlap share one result. */
function shared<Result>(call: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | undefined;
  return async () => await (current ??= call().finally(() => (current = undefined)));
}

/** An operator may grant or repair an identity while a run waits. */
async function ask<Answer>(
  url: string,
  asked: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
  schema: z.ZodType<Answer>,
): Promise<Answer> {
  const { origin } = new URL(url);
  const { statusCode, body } = await request(url, { ...asked, signal: AbortSignal.timeout(answerTimeoutMs) }).catch(
    (error: unknown) => {
      throw new CredentialsUnavailable(new Error(`${origin} cannot be reached (${errnoOf(error) ?? 'timeout'})`));
    },
  );
  const answer = schema.safeParse(await body.json().catch(() => undefined));
  if (statusCode === 200 && answer.success) return answer.data;
  throw new CredentialsUnavailable(new Error(`${origin} answered ${statusCode}`));
}
