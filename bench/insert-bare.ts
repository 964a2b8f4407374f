import type postgres from "postgres";
import { v7 as uuidv7 } from "uuid";

type Order = {
  sender: { companyId: string; domainId: string; keyId: string };
  email: { from: string; to: string; subject: string; html: string };
  /** Emails per transaction. */
  size: number;
  connections: number;
  seconds: number;
};

/**
 * Writes the rows of accepted emails with the driver's multi-row statements, `size` emails per transaction,
 * for some seconds: the database's own throughput, without any checks or counters.
 */
export async function insertBare(
  sql: postgres.Sql,
  { connections, seconds, ...order }: Order,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) await insertOnce(sql, order);
    }),
  );
}

async function insertOnce(
  sql: postgres.Sql,
  { sender, email, size }: Omit<Order, "connections" | "seconds">,
): Promise<void> {
  const ids = Array.from({ length: size }, () => uuidv7());
  const addressHeaders = { from: email.from, to: [email.to], cc: [], replyTo: [] };
  await sql.begin((sql) => [
    sql`insert into emails ${sql(
      ids.map((id) => ({
        id,
        company_id: sender.companyId,
        domain_id: sender.domainId,
        api_key_id: sender.keyId,
        message_id: `<${id}@bare>`,
        from: email.from,
        subject: email.subject,
        to: `{${email.to}}`,
        last_event: "sent",
        event_types: 4,
        sent_at: new Date(),
      })),
    )}`,
    sql`insert into email_bodies ${sql(
      ids.map((id) => ({
        email_id: id,
        address_headers: sql.json(addressHeaders),
        html: email.html,
      })),
    )}`,
    sql`insert into email_events ${sql(
      ids.map((id) => ({ email_id: id, company_id: sender.companyId, type: "sent" })),
    )}`,
    sql`insert into outbox ${sql(
      ids.map((id) => ({ email_id: id, recipient: email.to, destination: "example.org" })),
    )}`,
  ]);
}
