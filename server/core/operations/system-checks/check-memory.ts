import { machineMemory } from "#server/processes/machine-memory.ts";

import { type Finding, ok, warning } from "./finding.ts";

const MB = 1024 ** 2;
// A machine sold with 1 GB shows a little less.
const MEMORY_MIN_BYTES = 900 * MB;

/** Checks the memory of the machine, or of the container if that is limited. */
export function checkMemory(bytes = machineMemory()): Finding {
  const found = `${(bytes / 1024 / MB).toFixed(1)} GB`;
  return bytes < MEMORY_MIN_BYTES
    ? warning("memory", found, "Posthouse needs 1 GB; the spam filter needs another 0.5 GB")
    : ok("memory", found);
}
