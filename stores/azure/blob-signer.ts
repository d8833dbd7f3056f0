import {
  type BlobSASSignatureValues,
  type BlobServiceClient,
  generateBlobSASQueryParameters,
  type StorageSharedKeyCredential,
  type UserDelegationKey,
} from '@azure/storage-blob';

type SignedValues = BlobSASSignatureValues & { expiresOn: Date };

export interface SignedQuery {
  query: string;
  expiresAtMs: number;
}

/** Makes a shared access signature. */
export type BlobSigner = (values: SignedValues) => Promise<SignedQuery>;

export function signByKey(key: StorageSharedKeyCredential): BlobSigner {
  return async (values) => ({
    query: generateBlobSASQueryParameters(values, key).toString(),
    expiresAtMs: values.expiresOn.getTime(),
  });
}

/** Azure's limit for a user delegation key. */
const longestKeyMs = 7 * 86_400_000;
/** A key serves signatures of up to a day, so that signing needs no request of its own. */
const usualKeyMs = 86_400_000;
/** An operator can revoke keys at any time. The next key then heals the runs without a restart. */
const renewedAfterMs = 3_600_000;
/** Azure gives a key at once. */
const answerTimeoutMs = 20_000;
/** The clocks of Azure and of this machine may differ. */
const clockToleranceMs = 300_000;

/** Signs by a key that Azure gives to the identity of the service's client. A signature must end with its key. */
export function signByIdentity(service: BlobServiceClient, account: string): BlobSigner {
  let known: { key: Promise<UserDelegationKey>; fromMs: number; untilMs: number } | undefined;
  const keyUntil = async (expiresMs: number): Promise<UserDelegationKey> => {
    const nowMs = Date.now();
    // After a step of this machine's clock, the age of the key is unknown.
    const isRecent = known !== undefined && Math.abs(nowMs - known.fromMs) < renewedAfterMs;
    if (known === undefined || !isRecent || known.untilMs < expiresMs) {
      const untilMs = Math.max(expiresMs, nowMs + usualKeyMs);
      const abortSignal = AbortSignal.timeout(answerTimeoutMs);
      const [startsOn, endsOn] = [new Date(nowMs - clockToleranceMs), new Date(untilMs)];
      const key = service.getUserDelegationKey(startsOn, endsOn, { abortSignal });
      const own = { key, fromMs: nowMs, untilMs };
      known = own;
      key.catch(() => {
        if (known === own) known = undefined;
      });
    }
    return await known.key;
  };
  return async ({ expiresOn, ...values }) => {
    const latestMs = Date.now() + longestKeyMs - 2 * clockToleranceMs;
    const expiresAtMs = Math.min(expiresOn.getTime(), latestMs);
    const signed = { ...values, expiresOn: new Date(expiresAtMs) };
    const key = await keyUntil(expiresAtMs);
    return { query: generateBlobSASQueryParameters(signed, key, account).toString(), expiresAtMs };
  };
}
