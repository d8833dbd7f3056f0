/** A sentence about what is missing and what a person can do. */
export class SetupError extends Error {}
