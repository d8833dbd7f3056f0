/**
 * How long a service keeps a connection on which nothing is asked. Above the 60 s of common load balancers: one that reuses a connection that
 * is closed at the same moment would answer 502.
 */
export const keepAliveTimeoutMs = 75_000;
