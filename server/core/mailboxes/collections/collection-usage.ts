import { join } from "node:path";

import { and, eq } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";
import { CALENDARS, collectionsPath } from "#server/gateways/calendar-store.ts";
import { DISK_RESERVE_BYTES, diskUsage, freeBytesAt } from "#server/processes/machine.ts";

const MB = 1024 * 1024;
/** The least that a file takes on the disk. */
const BLOCK_BYTES = 4096;
const MEASURED_MS = 600_000;
/** Measuring takes up to a second, so someone who deletes events has to wait this long for the space. */
const FULL_MS = 10_000;

type Usage = { bytes: number; measuredAt: number };

/** By store: the disk space as last measured, plus what was written since. Deletions count from the next measurement on. */
const usages = new PromiseCache<Usage>({ max: 10_000, ttlMs: MEASURED_MS });
/** Measurements of full mailboxes, shared by concurrent writes. */
const updates = new PromiseCache<Usage>({ max: 10_000, isKept: () => false });

/** The disk space that a mailbox's calendars and contacts take, and its limit, for display. Null if they are off. */
export async function readCollectionUsage(
  { db, companyId }: CompanyScope,
  address: string,
): Promise<{ usedBytes: number; quotaMb: number } | null> {
  if (!config().calendar) return null;
  const own = and(eq(mailboxes.companyId, companyId), eq(mailboxes.address, address));
  const [found] = await db.select({ store: mailboxes.store }).from(mailboxes).where(own);
  const { calendar_limit_mb: quotaMb } = await currentSettings(db);
  return { usedBytes: found ? (await usageOf(found.store)).bytes : 0, quotaMb };
}

/**
 * Checks whether a mailbox's calendars and contacts may grow, before a write. Concurrent writes can exceed the limit, each by its size.
 *
 * @param bytes of the write, as far as known
 * @returns a function that counts what is written; or what is full, as RFC 4331 §6 names it
 */
export async function reserveSpace(
  db: Db,
  store: string,
  bytes: number,
): Promise<((written: number) => void) | "quota-not-exceeded" | "sufficient-disk-space"> {
  const free = await freeBytesAt(join(config().dataFolder, CALENDARS));
  if (free < DISK_RESERVE_BYTES) return "sufficient-disk-space";
  const { calendar_limit_mb: limitMb } = await currentSettings(db);
  const usage = await usageOf(store);
  const isFull = () => usage.bytes + bytes + BLOCK_BYTES > limitMb * MB;
  if (isFull() && performance.now() - usage.measuredAt > FULL_MS)
    await updates.get(store, async () => Object.assign(usage, await measure(store)));
  if (isFull()) return "quota-not-exceeded";
  usage.bytes += BLOCK_BYTES;
  return (written) => {
    usage.bytes += written;
  };
}

const usageOf = (store: string) => usages.get(store, () => measure(store));

async function measure(store: string): Promise<Usage> {
  const measuredAt = performance.now();
  return { bytes: await diskUsage(collectionsPath(store), ".Radicale.*"), measuredAt };
}
