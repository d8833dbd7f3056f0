import { z } from 'zod';
import { ProblemError } from '../problem-error.ts';
import { seal, sealingKey, unseal } from './sealed-token.ts';

const Ticket = z.object({
  /** Workflow id. */
  id: z.string(),
  runId: z.string(),
  /** Index of an output; undefined: all outputs. */
  output: z.number().int().optional(),
  /** Seconds since 1970. */
  exp: z.number(),
});
export type Ticket = z.infer<typeof Ticket>;

/**
 * Tickets open one run, without a token of a caller, until they expire. A ticket is encrypted, so that it shows
 * nothing of the run to people who see only the link.
 */
export class RunTickets {
  readonly #key: Uint8Array;

  /** Tickets end with this process if there is no secret. A ticket of one purpose is useless for another. */
  constructor(secret: string | undefined, purpose: 'zip' | 'share') {
    this.#key = sealingKey(secret, purpose);
  }

  async issue({ exp, ...run }: Ticket): Promise<string> {
    return await seal(run, new Date(exp * 1000), this.#key);
  }

  /** Throws `link_expired` or `not_found`, without a request to Temporal. */
  async read(ticket: string): Promise<Ticket> {
    const content = await unseal(ticket, this.#key);
    if (content === 'expired') {
      throw new ProblemError('link_expired', 'This link has expired. Ask for a new one.');
    }
    const { data } = Ticket.safeParse(content);
    if (data === undefined) throw new ProblemError('not_found', 'This link does not exist. Ask for a new one.');
    return data;
  }
}
