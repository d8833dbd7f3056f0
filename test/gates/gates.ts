import { codeGates } from './code-gates.ts';
import { documentGates } from './document-gates.ts';
import type { Gate } from './gate.ts';
import { imageGates } from './image-gates.ts';
import { kubernetesGates } from './kubernetes-gates.ts';
import { operationsGates } from './operations-gates.ts';

/** All faults. */
export const gates: readonly Gate[] = [
  ...documentGates,
  ...kubernetesGates,
  ...operationsGates,
  ...codeGates,
  ...imageGates,
];
