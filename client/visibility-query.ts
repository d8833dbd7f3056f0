import { inputSchemas } from '../contract/workflow/inputs.ts';

/** Quotes a text for a visibility query, whose SQL dialect also has backslash escapes. */
export function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

export function runConditions(taskQueue: string): string[] {
  return [
    `WorkflowType IN (${Object.keys(inputSchemas).map(quote).join(', ')})`,
    `TaskQueue = ${quote(taskQueue)}`,
    // The successor of a run that continued as new is listed instead.
    `ExecutionStatus != 'ContinuedAsNew'`,
  ];
}

/** Combines conditions, each of which may have several parts. */
export function allOf(conditions: readonly string[]): string {
  return conditions.map((condition) => `(${condition})`).join(' AND ');
}
