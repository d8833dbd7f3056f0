/** Consecutive request ids, for example `0.1 1.1 2.1`, form one range: `[0, 2, ".1"]`. */
export type PackedRequests = (string | [first: number, last: number, suffix: string])[];

export function packRequests(requestIds: readonly string[]): PackedRequests {
  const packed: PackedRequests = [];
  for (const requestId of requestIds) {
    const [, digits, suffix = ''] = /^(0|[1-9]\d{0,8})(\.\d+)$/.exec(requestId) ?? [];
    const last = packed.at(-1);
    if (digits === undefined) packed.push(requestId);
    else if (Array.isArray(last) && last[1] === Number(digits) - 1 && last[2] === suffix) last[1] += 1;
    else packed.push([Number(digits), Number(digits), suffix]);
  }
  return packed;
}

export function unpackRequests(packed: PackedRequests): string[] {
  return packed.flatMap((entry) => {
    if (typeof entry === 'string') return [entry];
    const [first, last, suffix] = entry;
    return Array.from({ length: last - first + 1 }, (_, index) => `${first + index}${suffix}`);
  });
}

/** Size as JSON, including the holder's number. */
export function packedBytes(requestIds: readonly string[]): number {
  return JSON.stringify(packRequests(requestIds)).length + 10;
}
