import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { commonInputShape } from '../../contract/workflow/common-input.ts';
import { TokenSetting } from '../../process/setting-types.ts';
import { SettingError } from '../../process/settings.ts';
import { type Caller, scopes } from './caller.ts';

/** Shortest token that cannot be guessed. */
const leastCharacters = 16;

const Token = z.strictObject({
  token: TokenSetting.min(leastCharacters, {
    error: `must have at least ${leastCharacters} characters: \`openssl rand -hex 32\` makes one`,
  }),
  scopes: z.array(z.enum(scopes)).min(1),
  owner: commonInputShape.owner,
});

const TokensFile = z.array(Token).min(1, { error: 'must have at least one token' });

/** Callers with the digests of their tokens; the tokens themselves are not kept. */
export type Tokens = readonly { digest: Buffer; caller: Caller }[];

/** Throws a SettingError, whose message never contains a token. */
export function parseTokens(text: string): Tokens {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The parser's message would quote the file.
    throw new SettingError('SERVER_TOKENS_FILE is not JSON.');
  }
  const parsed = TokensFile.safeParse(json);
  if (!parsed.success) {
    const sentences = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new SettingError(`SERVER_TOKENS_FILE is not valid: ${sentences.join('; ')}.`);
  }
  const tokens = parsed.data.map(({ token, scopes, owner }, index) => ({
    digest: digestOf(token),
    caller: { id: `token ${index + 1}`, scopes: new Set(scopes), owner },
  }));
  if (new Set(tokens.map(({ digest }) => digest.toString('hex'))).size < tokens.length) {
    throw new SettingError('SERVER_TOKENS_FILE contains the same token twice.');
  }
  return tokens;
}

/** Token of an `Authorization` header; undefined if it has none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

/** Compares all digests, so that the time taken does not depend on the token sent. */
export function findCaller(tokens: Tokens, authorization: string | undefined): Caller | undefined {
  const given = bearerToken(authorization);
  if (given === undefined) return undefined;
  const digest = digestOf(given);
  let caller: Caller | undefined;
  for (const token of tokens) if (timingSafeEqual(token.digest, digest)) ({ caller } = token);
  return caller;
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
