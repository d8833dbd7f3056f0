export function ensurePage(node: string): Promise<void>;
