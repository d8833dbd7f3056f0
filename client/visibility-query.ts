import { inputSchemas } from '../contract/workflow/inputs.ts';

/** A text in a query of Temporal's visibility, whose SQL dialect knows escapes by backslash too. */
export function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** Of a query that lists the runs of a task queue. */
export function runConditions(taskQueue: string): string[] {
  return [
    `WorkflowType IN (${Object.keys(inputSchemas).map(quote).join(', ')})`,
    `TaskQueue = ${quote(taskQueue)}`,
    // A run that continued as new goes on in its successor.
    `ExecutionStatus != 'ContinuedAsNew'`,
  ];
}

/** One condition that holds where all of these do; each may be of several parts. */
export function allOf(conditions: readonly string[]): string {
  return conditions.map((condition) => `(${condition})`).join(' AND ');
}
