import { availableParallelism } from "node:os";

import { machineMemory } from "#server/processes/machine-memory.ts";

const MB = 1024 ** 2;
const GB = 1024 ** 3;

type Machine = { memoryBytes: number; cpus: number };

const thisMachine = (): Machine => ({
  memoryBytes: machineMemory(),
  cpus: availableParallelism(),
});

/**
 * Server parameters by machine size. Postgres shares the machine with the appliance's other processes and Dovecot, so
 * it gets an eighth of the memory as its own cache, at most 256 MB; the system's cache does the rest.
 */
export function tunedSettings(
  { memoryBytes, cpus }: Machine = thisMachine(),
): Record<string, string> {
  const inMb = (bytes: number, [min, max]: [number, number]) =>
    `${Math.round(Math.min(max, Math.max(min, bytes)) / MB)}MB`;
  return {
    // Pages that were used once stay in memory, so the maximum bounds what an idle server takes.
    shared_buffers: inMb(memoryBytes / 8, [64 * MB, 256 * MB]),
    effective_cache_size: inMb(memoryBytes / 2, [256 * MB, 1024 * GB]),
    // For each sort or hash of each connection.
    work_mem: inMb(memoryBytes / 512, [4 * MB, 32 * MB]),
    maintenance_work_mem: inMb(memoryBytes / 16, [64 * MB, GB]),
    // Parallel queries take the CPU from deliveries on a small machine.
    max_parallel_workers_per_gather: cpus > 4 ? "2" : "0",
    // The cost of a random read compared to a sequential one. The default is for hard disks.
    random_page_cost: "1.1",
    ...LOGGING,
  };
}

/** Slow statements without their parameters, which contain addresses and content. */
const LOGGING = {
  log_min_duration_statement: "1000",
  log_parameter_max_length: "0",
  log_parameter_max_length_on_error: "0",
  log_lock_waits: "on",
};
