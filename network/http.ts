/**
 * Node's HTTP module. An import of `node:http` would read its getter `WebSocket`, which loads a second HTTP client: a fifth of the
 * processor time that a small program takes to start.
 */
export const { createServer, get, request } = process.getBuiltinModule('node:http');
