import type { PackageKind } from './http/package.ts';

export interface OutputNaming {
  /** One word that names the output in errors, logs and file names. */
  label: string;
  /** Request field that defines the output; answers and error details repeat it. */
  named:
    | { format: string }
    | { preset: string }
    | { analysis: string }
    | { image: string }
    | { package: PackageKind[] }
    | { container: string | undefined };
}

/** An output that cannot be made. The message is a sentence for people. */
export class UnsupportedOutput extends Error {
  override readonly name = 'UnsupportedOutput';
  readonly details: Record<string, unknown>;

  constructor({ label, named }: OutputNaming, reason: string, details = {}) {
    super(`The output ${label} cannot be made: ${reason}.`);
    this.details = { ...named, ...details };
  }
}
