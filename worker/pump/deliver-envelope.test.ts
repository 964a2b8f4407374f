import { sql } from "drizzle-orm";
import { expect, test } from "vitest";

import type { LeasedRecipient } from "#server/core/sending/outbox/lease-due-emails.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { aPost } from "#server/testing/posts.ts";
import type { Carrier } from "#worker/delivery/delivery.ts";

import { deliverEnvelope } from "./deliver-envelope.ts";

test("retries mail that the owners can't receive right now, instead of bouncing it", async () => {
  const { id: companyId } = await aCompany();
  await anAdmin(companyId, { isOwner: true });
  await db().execute(sql`
    insert into messages (id, company_id, origin, group_address, sender, is_sender_told, size,
      recipient_count)
    select uuidv7(), ${companyId}, 'group', 'abuse@shop.example', '', false, 1, 1
    from generate_series(1, 200)`);
  const { id, content, sender, ...author } = aPost();

  const [outcome] = await deliverEnvelope(
    {
      way: { kind: "owners", companyId },
      recipients: [{ recipient: "abuse@shop.example" } as LeasedRecipient],
    },
    {
      ...{ id, companyId, domain: null, isBatch: false, message: content, envelopeFrom: sender },
      isTlsOptional: false,
      ...{ author: () => author, rcptTo: (recipient: string) => recipient },
    },
    { db: db(), carrier: {} as Carrier, resolved: new Map() },
  );

  expect(outcome).toMatchObject({ result: "delayed", dsn: "4.7.1", suppress: false });
});
