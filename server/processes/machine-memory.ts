import { totalmem } from "node:os";

/** The machine's memory in bytes, or a container's memory limit if it has one. */
export const machineMemory = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Infinity);
