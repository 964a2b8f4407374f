import { config } from "#server/config.ts";

import { connect, type Connection, type Db } from "./client.ts";

let open: Connection | undefined;

/** This process's pool, opened at first use. */
export function pool(): Connection {
  const url = config().databaseUrl;
  if (!url) throw new Error("DATABASE_URL is not set: start the appliance with `posthouse start`");
  return (open ??= connect(url));
}

export const db = (): Db => pool().db;

/** Ends the pool's connections, waiting up to five seconds for running queries. */
export async function closePool(): Promise<void> {
  const closing = open;
  open = undefined;
  await closing?.close();
}
