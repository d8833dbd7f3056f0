/** Field of a run's memo that holds its RunUsage. Workflow code cannot import the schema's file, which needs zod. */
export const usageMemo = 'usage';
