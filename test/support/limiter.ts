import type { Client, WorkflowHandle } from '@temporalio/client';
import type { GateDetails, GateMail, GateSettings, GateStats } from '../../contract/limiter.ts';
import { gateQueries, gateSignals, gateWorkflowType } from '../../contract/names.ts';
import { GateRecord } from './limiter-record.ts';

interface GateStart {
  workflowId: string;
  taskQueue: string;
  args: [key: string, settings: GateSettings];
}

export class TestGate {
  readonly handle: WorkflowHandle;
  readonly #client: Client;
  readonly #start: GateStart;

  constructor(client: Client, start: GateStart) {
    this.handle = client.workflow.getHandle(start.workflowId);
    this.#client = client;
    this.#start = start;
  }

  async stats(): Promise<GateStats> {
    return await this.handle.query<GateStats>(gateQueries.stats);
  }

  async details(): Promise<GateDetails> {
    return await this.handle.query<GateDetails>(gateQueries.details);
  }

  /** In the name of a holder, as a run sends it: the gate is started where none runs. */
  async mail(mail: Omit<GateMail, 'settings'>): Promise<void> {
    const [, settings] = this.#start.args;
    await this.#client.workflow.signalWithStart(gateWorkflowType, {
      ...this.#start,
      signal: gateSignals.mail,
      signalArgs: [{ ...mail, settings }],
    });
  }

  async record(): Promise<GateRecord> {
    return await GateRecord.of(this.#client, this.#start.workflowId);
  }
}
