/** Bits of a page's header (RFC 3533, 6). */
export const pageFlags = { continued: 1, beginOfStream: 2, endOfStream: 4 } as const;
