export function isAllowed(expression: string, list: readonly string[]): boolean;
export function refusedPackages(
  lock: { packages: Record<string, { dev?: boolean }> },
  licenseOf: (path: string) => string | undefined,
): string[];
