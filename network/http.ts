/**
 * Node's HTTP module. An import of `node:http` would read its getter `WebSocket`, which loads a second HTTP client. That
 * takes a fifth of the processor time in which a small program starts.
 */
export const { createServer, get, request } = process.getBuiltinModule('node:http');
