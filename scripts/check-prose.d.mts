export function startsWithPreposition(comment: string): boolean;
export function startsMidClause(name: string): boolean;
export function judge(paths: string[]): {
  docComments: number;
  testNames: number;
  offences: Record<string, { count: number; places: string[] }>;
};
