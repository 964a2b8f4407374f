import { config } from "#server/config.ts";

import { connect, type Connection, type Db } from "./client.ts";

// Next bundles route handlers apart from the process that serves them; the global keeps it at one pool for both.
const holder = globalThis as typeof globalThis & { posthousePool?: Connection | undefined };

/** This process's pool, opened at first use. */
export function pool(): Connection {
  const url = config().databaseUrl;
  if (!url) throw new Error("DATABASE_URL is not set: start the appliance with `posthouse start`");
  return (holder.posthousePool ??= connect(url));
}

export const db = (): Db => pool().db;

/** Ends the pool's connections, waiting up to five seconds for running queries. */
export async function closePool(): Promise<void> {
  const open = holder.posthousePool;
  holder.posthousePool = undefined;
  await open?.close();
}
