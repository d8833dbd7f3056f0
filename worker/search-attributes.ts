import type { NativeConnection } from '@temporalio/worker';
import {
  checkSearchAttributes,
  type SearchAttributeCheck,
  type SearchAttributeName,
} from '../contract/search-attributes.ts';

/** Timeout for the check: a run that starts waits for it. */
const answerMs = 2_000;
/** New runs set a newly registered attribute after this time at the latest. */
const trustedMs = 60_000;
const trustedWhileIncompleteMs = 10_000;

interface Options {
  namespace: string;
  /** Attributes that are not set even if the server has them. */
  leftOut: readonly SearchAttributeName[];
  warn(sentence: string): void;
}

/** Search attributes that the server has in a namespace. The worker logs once if some are missing. */
export class RegisteredSearchAttributes {
  readonly #connection: NativeConnection;
  readonly #options: Options;
  #names: SearchAttributeName[] = [];
  #asking: Promise<void> | undefined;
  #trustedUntilMs = 0;
  #hasWarned = false;

  constructor(connection: NativeConnection, options: Options) {
    this.#connection = connection;
    this.#options = options;
  }

  async names(): Promise<SearchAttributeName[]> {
    if (performance.now() >= this.#trustedUntilMs) {
      this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
      await this.#asking;
    }
    return this.#names;
  }

  async #ask(): Promise<void> {
    const { namespace, leftOut, warn } = this.#options;
    let problem: string | undefined;
    try {
      const { customAttributes } = await this.#connection.withDeadline(Date.now() + answerMs, () =>
        this.#connection.operatorService.listSearchAttributes({ namespace }),
      );
      const check = checkSearchAttributes(customAttributes ?? {});
      this.#names = check.usable.filter((name) => !leftOut.includes(name));
      problem = describeProblem(check);
    } catch (error) {
      // The previous answer is still the best guess.
      problem = `The Temporal server does not list its search attributes: ${(error as Error).message}.`;
    }
    this.#trustedUntilMs = performance.now() + (problem === undefined ? trustedMs : trustedWhileIncompleteMs);
    if (problem === undefined || this.#hasWarned) return;
    this.#hasWarned = true;
    warn(
      `${problem} Runs continue without these attributes in namespace "${namespace}" (\`npx holdfast setup-server\` registers them).`,
    );
  }
}

function describeProblem({ missing, mistyped }: SearchAttributeCheck): string | undefined {
  const sentences = [
    ...(missing.length > 0 ? [`The Temporal server lacks the search attributes ${missing.join(', ')}.`] : []),
    ...mistyped.map((sentence) => `Its search attribute ${sentence}.`),
  ];
  return sentences.length === 0 ? undefined : sentences.join(' ');
}
