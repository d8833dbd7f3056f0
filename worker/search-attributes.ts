import type { NativeConnection } from '@temporalio/worker';
import {
  checkSearchAttributes,
  type SearchAttributeCheck,
  type SearchAttributeName,
} from '../contract/search-attributes.ts';

/** An answer that is in time for a run that begins. */
const answerMs = 2_000;
/** An attribute that is registered while workers run is set from then on by new runs. */
const trustedMs = 60_000;
const trustedWhileIncompleteMs = 10_000;

interface Options {
  namespace: string;
  /** Not to be set though the server has them. */
  leftOut: readonly SearchAttributeName[];
  warn(sentence: string): void;
}

/** Which of our search attributes the server has in a namespace, where the worker says it once when some are missing. */
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
      // What was known before is still the best guess.
      problem = `The Temporal server does not tell which search attributes it has: ${(error as Error).message}.`;
    }
    this.#trustedUntilMs = performance.now() + (problem === undefined ? trustedMs : trustedWhileIncompleteMs);
    if (problem === undefined || this.#hasWarned) return;
    this.#hasWarned = true;
    warn(
      `${problem} Runs go on, and cannot be searched by what is missing in namespace "${namespace}" (\`npm run setup-server\` registers it).`,
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
