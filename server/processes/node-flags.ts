import { machineMemory } from "./machine-memory.ts";

const GB = 1024 ** 3;

/**
 * Command-line flags for every long-lived Node.js process of the appliance.
 *
 * V8 sizes the young generation by the machine's memory, up to 3 × 64 MB a process. With a smaller one, sending takes 2 %
 * more CPU, but on a small machine the memory under load matters more. An idle process returns its memory anyway
 * (`trim-memory.ts`).
 */
export const NODE_FLAGS = [
  "--disable-warning=ExperimentalWarning",
  ...(machineMemory() < 4 * GB ? ["--max-semi-space-size=16"] : []),
];
