import type { EncodedOutput } from '../../contract/http/output.ts';
import { outputLabel } from '../../contract/output-label.ts';
import type { RunDelivery } from '../media/run-delivery.ts';
import { formatHeadline, formatLeftOut, formatLoudnessChange, formatOutput } from './format-outcome.ts';
import type { WorkflowCommand } from './workflow-command.ts';

/** The workflow `encode`, whose files are delivered one by one. */
export const encodeCommand: WorkflowCommand<'encode'> = {
  name: 'encode',
  workflowType: 'encode',
  async deliver(outcome, delivery, tookMs) {
    const lines = [formatHeadline(`Encoded to ${outcome.outputs.map(outputLabel).join(' + ')}`, tookMs, outcome)];
    for (const [index, output] of outcome.outputs.entries()) {
      lines.push(
        output.leftOut === undefined
          ? formatOutput(await deliverOutput(delivery, delivery.plan.names[index] ?? '', output), output)
          : formatLeftOut(output, output.leftOut),
      );
    }
    return lines.join('\n');
  },
  summarize: ({ outputs }) => ({
    loudness: formatLoudnessChange(outputs),
    notes: outputs.flatMap((output) => {
      const note = output.loudness?.note;
      return note === undefined ? [] : [`${outputLabel(output)}: ${note}`];
    }),
  }),
};

/** Returns the path of the file, or of the folder of its files. */
async function deliverOutput(delivery: RunDelivery, name: string, { files }: EncodedOutput): Promise<string> {
  if (files === undefined) return await delivery.deliver(name);
  return await delivery.deliverFolder(
    name,
    files.map((file) => name + file.name),
  );
}
