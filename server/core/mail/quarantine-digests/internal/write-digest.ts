import { v7 as uuidv7 } from "uuid";

import { config } from "#server/config.ts";
import { composeMessage } from "#server/core/sending/compose/compose-message.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { escapeMarkup } from "#server/core/shared/escape-markup.ts";
import { formatUtc } from "#server/core/shared/format-utc.ts";
import { pluralize } from "#server/core/shared/pluralize.ts";

import { releaseUrl } from "#server/core/mail/quarantine-digests/release-link.ts";
import type { DueDigest } from "#server/core/mail/quarantine-digests/send-digests.ts";
import type { DigestItems } from "./list-digest-items.ts";

/** A message in the digest, as lines of text. */
type Entry = { lines: string[]; url: string | null };

type Section = { title: string; explanation: string; entries: Entry[] };

const SHOWN_CHARS_MAX = 200;

/** The digest as a message. It is marked so that programs don't reply to it (RFC 3834). */
export async function writeDigest(mailbox: DueDigest, items: DigestItems, now: Date) {
  const { address, name } = mailbox;
  const sender = { name: "Posthouse", address: `postmaster@${addressDomain(address)}` };
  const messageId = `<${uuidv7()}@${addressDomain(address)}>`;
  const subject = subjectOf(items);
  const sections = [quarantineSection(mailbox, items, now), heldSection(items)].filter(
    ({ entries }) => entries.length > 0,
  );
  const content = await composeMessage({
    ...{ messageId, subject, date: now, attachments: [], tracking: null },
    addressHeaders: { from: sender, to: [{ name: oneLine(name), address }], cc: [], replyTo: [] },
    headers: { "Auto-Submitted": "auto-generated" },
    text: asText(sections, items.hasMore),
    html: asHtml(subject, sections, items.hasMore),
  });
  return { content, subject, messageId, headerFrom: `Posthouse <${sender.address}>` };
}

function subjectOf({ quarantined, held }: DigestItems): string {
  if (held.length === 0) return `${pluralize(quarantined.length, "message")} in quarantine`;
  if (quarantined.length === 0) return `${pluralize(held.length, "message")} you sent on hold`;
  return `${pluralize(quarantined.length, "message")} in quarantine, ${held.length} on hold`;
}

function quarantineSection(
  { companyId, companyName, address, canRelease }: DueDigest,
  { quarantined }: DigestItems,
  now: Date,
): Section {
  const help = canRelease
    ? "Release a message to have it delivered to your inbox. Only an admin can release viruses."
    : `If you’re expecting one of them, ask an admin of ${companyName} to release it.`;
  return {
    title: "In quarantine",
    explanation: `These messages to ${address} weren’t delivered, because they look like spam or contain a virus. They’re deleted 30 days after they arrived. ${help}`,
    entries: quarantined.map(({ id, reason, headerFrom, sender, subject, createdAt }) => ({
      lines: [
        oneLine(subject) || "(no subject)",
        `From ${oneLine(headerFrom || sender) || "(no sender)"}`,
        `${formatUtc(createdAt)}, ${reason === "spam" ? "spam" : "virus"}`,
      ],
      url:
        canRelease && reason === "spam"
          ? releaseUrl({ companyId, quarantineId: id, mailbox: address }, now)
          : null,
    })),
  };
}

const heldSection = ({ held }: DigestItems): Section => ({
  title: "On hold",
  explanation:
    "These messages that you sent are waiting for an admin, because your mailbox sent unusual mail. If you didn’t send them, change your password now and tell an admin.",
  entries: held.map(({ subject, to, recipients, createdAt }) => ({
    lines: [
      oneLine(subject) || "(no subject)",
      `To ${to.join(", ")}${recipients > to.length ? ` and ${recipients - to.length} more` : ""}`,
      formatUtc(createdAt),
    ],
    url: null,
  })),
});

const accountUrl = () => `${config().baseUrl}/account/quarantine`;

const MORE = "There are more messages than this email lists.";
const FOOTER =
  "You’re receiving this email once a day while there are new messages, because your company turned on quarantine digests.";

function asText(sections: Section[], hasMore: boolean): string {
  const parts = sections.flatMap(({ title, explanation, entries }) => [
    title.toUpperCase(),
    explanation,
    ...entries.map(({ lines, url }) => [...lines, ...(url ? [`Release: ${url}`] : [])].join("\n")),
  ]);
  return [
    ...parts,
    ...(hasMore ? [MORE] : []),
    `Your quarantine: ${accountUrl()}`,
    `-- \n${FOOTER}\n`,
  ].join("\n\n");
}

function asHtml(subject: string, sections: Section[], hasMore: boolean): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeMarkup(subject)}</title></head>
<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:15px;line-height:1.5;color:#1b1b20;background:#ffffff">
<div style="max-width:560px">
${sections.map(sectionHtml).join("\n")}
${hasMore ? `<p style="margin:0 0 16px">${MORE}</p>` : ""}
<p style="margin:24px 0"><a href="${escapeMarkup(accountUrl())}" style="color:#5239b3">Open your quarantine</a></p>
<p style="margin:0;font-size:13px;color:#62626c">${escapeMarkup(FOOTER)}</p>
</div></body></html>
`;
}

const sectionHtml = ({ title, explanation, entries }: Section) =>
  `<h1 style="font-size:18px;margin:0 0 16px">${escapeMarkup(title)}</h1>
<p style="margin:0 0 16px">${escapeMarkup(explanation)}</p>
${entries.map(entryHtml).join("\n")}`;

const entryHtml = ({ lines: [first = "", ...others], url }: Entry) =>
  `<div style="margin:0 0 16px;padding:0 0 16px;border-bottom:1px solid #e3e3e8;overflow-wrap:anywhere">
<bdi style="font-weight:600">${escapeMarkup(first)}</bdi>
${others.map((line) => `<br><bdi>${escapeMarkup(line)}</bdi>`).join("\n")}
${url ? `<br><a href="${escapeMarkup(url)}" style="color:#5239b3">Release</a>` : ""}
</div>`;

/** Senders choose these texts. */
function oneLine(text: string): string {
  const clean = text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .toWellFormed();
  return clean.length > SHOWN_CHARS_MAX ? `${clean.slice(0, SHOWN_CHARS_MAX)}…` : clean;
}
