import { domains } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aDomain, aMailbox } from "#server/testing/factories.ts";

/** A mailbox of the company with seven messages on hold. */
export async function aMailboxOnHold(companyId: string, localPart = "ben.okafor") {
  const all = await db().select().from(domains);
  const domain = all.find((one) => one.companyId === companyId) ?? (await aDomain(companyId));
  const mailbox = await aMailbox(domain, {
    address: `${localPart}@${domain.name}`,
    name: "Ben Okafor",
    sendingHeldAt: new Date().toISOString(),
  });
  for (let i = 1; i <= 7; i++)
    await anAcceptedMessage({
      companyId,
      sender: mailbox.address,
      isHeld: true,
      clientAddress: `198.51.100.${i % 2}`,
      subject: i === 7 ? "Your account will be closed today" : `Invoice ${4710 + i} is overdue`,
      to: Array.from({ length: 12 }, (_, to) => `person${i * 20 + to}@example.net`),
    });
  return mailbox;
}
