import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { db } from "#server/db/pool.ts";
import { aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";

const message = (lines: string[]) => Buffer.from([...lines, ""].join("\r\n"));

/** A quarantined message for each reason, newest last, with the mailbox and the group they are for. */
export async function quarantinedMessages(companyId: string) {
  const domain = await aDomain(companyId, { name: `held-${companyId.slice(-6)}.example` });
  const { address: mailbox } = await aMailbox(domain, { address: `ann@${domain.name}` });
  const { address: group } = await aGroup(domain, {
    address: `team@${domain.name}`,
    members: [mailbox],
    moderation: "all",
  });
  const quarantineOne = async (
    overrides: Partial<Parameters<typeof quarantineMessage>[1]> = {},
  ) => {
    const { id } = await quarantineMessage(db(), {
      companyId,
      reason: "spam",
      sender: "bounce-2231@offers.example.net",
      recipients: [mailbox],
      headerFrom: "Best Offers <win@offers.example.net>",
      subject: "You have been chosen! Claim your prize today",
      clientAddress: "198.51.100.7",
      score: 13.4,
      findings: ["BAYES_SPAM", "R_SPF_FAIL", "RDNS_NONE", "LOCAL_RULE_7"],
      content: message([
        "X-Posthouse-Junk: yes",
        "From: Best Offers <win@offers.example.net>",
        "Subject: You have been chosen!",
        "Content-Type: text/html",
        "",
        "<p>Dear friend, <b>click here</b> to claim your prize.</p>",
        '<p style="font-size:0">weather report meeting</p>',
        '<img src="https://tracker.example.net/pixel.gif">',
      ]),
      ...overrides,
    });
    return id;
  };
  const post = await quarantineOne({
    reason: "moderation",
    sender: "eve@partner.example",
    headerFrom: "Eve Partner <eve@partner.example>",
    subject: "Minutes of our meeting",
    recipients: [group],
    score: null,
    findings: ["The sender could not be verified"],
    content: message([
      "From: eve@partner.example",
      "Subject: Minutes",
      "",
      "Dear team,",
      "",
      "here they are.",
    ]),
  });
  const virus = await quarantineOne({
    reason: "virus",
    sender: "billing@supplier.example.org",
    headerFrom: "Supplier Billing <billing@supplier.example.org>",
    subject: "Overdue invoice 4471",
    recipients: [mailbox, `gone@${domain.name}`],
    score: 8.1,
    findings: ["CLAM_VIRUS", "MIME_DOUBLE_BAD_EXTENSION"],
    content: message([
      "From: billing@supplier.example.org",
      "Subject: Overdue invoice 4471",
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "",
      "Please find the invoice attached.",
      "--b",
      "Content-Type: application/octet-stream",
      'Content-Disposition: attachment; filename="invoice.pdf.exe"',
      "Content-Transfer-Encoding: base64",
      "",
      "TVqQAAMAAAAEAAAA",
      "--b--",
    ]),
  });
  const spam = await quarantineOne();
  return { spam, virus, post, mailbox, group };
}
