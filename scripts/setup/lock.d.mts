export function withLock<Result>(path: string, what: string, action: () => Promise<Result>): Promise<Result>;
