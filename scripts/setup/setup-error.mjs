/** A sentence that says what is missing and what to do about it. */
export class SetupError extends Error {}
