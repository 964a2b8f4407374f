import postgres from "postgres";

/**
 * Tables that are written when something is accepted (emails, messages, changes by admins and mailbox users), and the
 * queues, so that nothing is delivered in the meantime.
 */
const TABLES = "emails, messages, audit_entries, outbox, message_recipients";

/**
 * Blocks every transaction that accepts something. Reads continue.
 *
 * @param onLost called when the database ends the connection, and with it the block
 * @returns the function that lets them continue
 */
export async function holdWrites(url: string, onLost: () => void): Promise<() => Promise<void>> {
  let isHeld = true;
  const sql = postgres(url, {
    max: 1,
    max_lifetime: null,
    idle_timeout: 0,
    onnotice: () => {},
    onclose: () => isHeld && onLost(),
  });
  // The lock ends with the connection.
  await sql.unsafe(`begin; lock table ${TABLES} in share row exclusive mode`).simple();
  return () => {
    isHeld = false;
    return sql.end({ timeout: 1 });
  };
}
