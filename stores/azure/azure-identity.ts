import { readFile } from 'node:fs/promises';
import { request } from 'undici';
import { z } from 'zod';
import { errnoOf } from '../../contract/unknown-values.ts';
import { CredentialsUnavailable, StorageError } from '../store-error.ts';
import type { AzureVariables } from './azure-variables.ts';

const storage = 'https://storage.azure.com/';

/** Healthy services of tokens answer at once. A machine outside of Azure has no service of managed identities. */
const answerTimeoutMs = 5_000;

const TokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number().positive() });
const Refusal = z.object({ error: z.string().regex(/^\w{1,64}$/) });

/** The part of Azure's `TokenCredential` that its SDK uses. It keeps each token until it expires. */
export interface AzureIdentity {
  getToken(): Promise<{ token: string; expiresOnTimestamp: number }>;
}

interface TokenRequest {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
}

/**
 * The identity of this process: the workload identity of a pod, if AZURE_FEDERATED_TOKEN_FILE is set, otherwise the managed
 * identity of the machine. Errors contain no token.
 */
export function azureIdentity(variables: AzureVariables): AzureIdentity {
  return {
    async getToken() {
      const asked = await (variables.AZURE_FEDERATED_TOKEN_FILE === undefined
        ? askMachine(variables)
        : askByPod(variables, variables.AZURE_FEDERATED_TOKEN_FILE));
      return await requestToken(asked);
    },
  };
}

/** https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token */
function askMachine({
  AZURE_CLIENT_ID: clientId,
  AZURE_POD_IDENTITY_AUTHORITY_HOST: host,
}: AzureVariables): TokenRequest {
  const query = new URLSearchParams({
    'api-version': '2018-02-01',
    resource: storage,
    ...(clientId !== undefined && { client_id: clientId }),
  });
  const address = host ?? 'http://169.254.169.254';
  return {
    url: `${withoutSlash(address)}/metadata/identity/oauth2/token?${query.toString()}`,
    method: 'GET',
    headers: { metadata: 'true' },
  };
}

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow, with a federated credential */
async function askByPod(variables: AzureVariables, tokenFile: string): Promise<TokenRequest> {
  const { AZURE_CLIENT_ID: clientId, AZURE_TENANT_ID: tenant, AZURE_AUTHORITY_HOST: host } = variables;
  if (clientId === undefined || tenant === undefined) {
    throw new StorageError('AZURE_FEDERATED_TOKEN_FILE needs AZURE_CLIENT_ID and AZURE_TENANT_ID', false);
  }
  // Kubernetes renews the file.
  const assertion = await readFile(tokenFile, 'utf8').catch((error: unknown) => {
    throw unavailable(`the file of AZURE_FEDERATED_TOKEN_FILE cannot be read (${errnoOf(error)})`);
  });
  const body = new URLSearchParams({
    client_id: clientId,
    scope: `${storage}.default`,
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion.trim(),
  });
  return {
    url: `${withoutSlash(host ?? 'https://login.microsoftonline.com')}/${tenant}/oauth2/v2.0/token`,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  };
}

async function requestToken({ url, ...asked }: TokenRequest): Promise<{ token: string; expiresOnTimestamp: number }> {
  const { origin } = new URL(url);
  const { statusCode, body } = await request(url, { ...asked, signal: AbortSignal.timeout(answerTimeoutMs) }).catch(
    (error: unknown) => {
      throw unavailable(`Azure's service of tokens at ${origin} cannot be reached (${errnoOf(error) ?? 'timeout'})`);
    },
  );
  const answer: unknown = await body.json().catch(() => undefined);
  const token = TokenAnswer.safeParse(answer);
  if (statusCode === 200 && token.success) {
    const { access_token, expires_in } = token.data;
    return { token: access_token, expiresOnTimestamp: Date.now() + expires_in * 1000 };
  }
  const { data: refusal } = Refusal.safeParse(answer);
  const reason = [statusCode, refusal?.error].filter((part) => part !== undefined).join(' ');
  throw unavailable(`Azure's service of tokens at ${origin} answered ${reason}`);
}

/** An operator may grant or repair an identity while a run waits. */
function unavailable(reason: string): CredentialsUnavailable {
  return new CredentialsUnavailable(new Error(reason));
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}
