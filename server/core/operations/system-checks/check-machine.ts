import type { Config } from "#server/config.ts";
import { DISK_RESERVE_BYTES, freeBytesAt, machineMemory } from "#server/processes/machine.ts";

import { failed, type Finding, ok, warning } from "./finding.ts";

// Leaves time to act before mail is refused.
const DISK_WARNING_BYTES = 2 * DISK_RESERVE_BYTES;

const GB = 1024 ** 3;

/** Checks the free disk space: `failed` below the reserve, when no mail is accepted. */
export async function checkDisk({ dataFolder }: Pick<Config, "dataFolder">): Promise<Finding> {
  const free = await freeBytesAt(dataFolder);
  const found = `${formatGb(free)} free under ${dataFolder}`;
  const reserve = `below ${formatGb(DISK_RESERVE_BYTES)} no mail is accepted and mailboxes can't store messages`;
  if (free < DISK_RESERVE_BYTES) return failed("disk", found, `Free up disk space: ${reserve}`);
  if (free < DISK_WARNING_BYTES) return warning("disk", found, `Free up disk space: ${reserve}`);
  return ok("disk", found);
}

const formatGb = (bytes: number) => `${(bytes / GB).toFixed(2)} GB`;

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
