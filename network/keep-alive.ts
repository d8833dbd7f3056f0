/**
 * How long a service keeps an idle connection. The time is above the 60 s of common load balancers, which answer 502 if they reuse a
 * connection at the moment of its closing.
 */
export const keepAliveTimeoutMs = 75_000;
