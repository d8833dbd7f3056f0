import type { Client } from '@temporalio/client';
import { readInput } from '../../client/rerun.ts';
import type { RunRecord } from '../../client/run-record.ts';
import type { RunDetails } from '../../contract/server/run.ts';
import { SharedRun, type ShareRequest, type ShareView } from '../../contract/server/share.ts';
import type { Caller } from '../access/caller.ts';
import type { RunTickets, Ticket } from '../access/run-tickets.ts';
import { linkRunArchives, openRunArchive } from '../files/run-archives.ts';
import { type FileLinks, linkRunFiles } from '../files/run-files.ts';
import type { ZippedFile } from '../files/zip.ts';
import { ProblemError, shownId } from '../problem-error.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { findRun } from './find-run.ts';
import { readOutcome } from './run-details.ts';

interface SharedRunsOptions {
  client: Client;
  taskQueue: string;
  links: FileLinks;
  /** Tickets of share links. */
  shares: RunTickets;
}

/** The holder of a ticket, which is limited to its run. */
const holder: Pick<Caller, 'owner'> = { owner: undefined };

/** Results of single runs for the holders of tickets, who need no token. */
export class SharedRuns {
  readonly #options: SharedRunsOptions;

  constructor(options: SharedRunsOptions) {
    this.#options = options;
  }

  async share(id: string, { hours }: ShareRequest, caller: Caller): Promise<ShareView> {
    const { client, taskQueue, shares } = this.#options;
    const { runId } = await withRequestDeadline(client, async () => {
      const { record } = await findRun(client, taskQueue, id, caller);
      await requireResult(client, record);
      return record;
    });
    const exp = Math.floor(Date.now() / 1000) + hours * 3600;
    return { url: `/shared#${await shares.issue({ id, runId, exp })}`, expiresAt: isoOf(exp) };
  }

  /** Links to the files end with the ticket. */
  async read(ticket: Ticket): Promise<SharedRun> {
    const { links } = this.#options;
    const { record, ...run } = await this.#open(ticket);
    const [files, archives] = await Promise.all([
      linkRunFiles(links, { ...run, until: ticket.exp }, holder),
      linkRunArchives(links, run, ticket.exp),
    ]);
    const shown: SharedRun = {
      ...(record.endedAt !== undefined && { endedAt: record.endedAt.toISOString() }),
      expiresAt: isoOf(ticket.exp),
      outputs: outputsIn(run.result),
      files: files.filter(({ kind }) => kind !== 'source'),
      archives,
    };
    // Removes all facts that the schema does not name.
    return SharedRun.parse(shown);
  }

  async archive(ticket: Ticket): Promise<{ owner: string | undefined; name: string; files: ZippedFile[]; at: Date }> {
    const { record, ...run } = await this.#open(ticket);
    const archive = await openRunArchive(this.#options.links, run, ticket.output);
    return { ...archive, owner: record.owner, at: record.endedAt ?? record.startedAt };
  }

  async #open({ id, runId }: Ticket) {
    const { client, taskQueue } = this.#options;
    return await withRequestDeadline(client, async () => {
      const { record } = await findRun(client, taskQueue, id, holder, runId);
      const [input, result] = await Promise.all([readInput(client, id, runId), requireResult(client, record)]);
      return { id, runId, record, input, result };
    });
  }
}

async function requireResult(client: Client, record: RunRecord): Promise<NonNullable<RunDetails['result']>> {
  const { result } = record.ending === undefined ? {} : await readOutcome(client, record);
  if (result !== undefined) return result;
  throw new ProblemError('no_results', `${shownId(record.workflowId)} has no results that could be shared.`);
}

function outputsIn(result: NonNullable<RunDetails['result']>): SharedRun['outputs'] {
  if ('outputs' in result) return result.outputs;
  return 'encoded' in result ? [result.encoded] : [];
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
