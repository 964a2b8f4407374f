import { isOurField } from "#server/core/mail/authentication/trace-fields.ts";
import { withShortLines } from "#server/core/shared/mime/seven-bit.ts";

import type { SubmittedField } from "./submitted-header.ts";

/**
 * Fields that would disclose recipients, that receivers would trust us for, or that a delivery left: the next server could
 * take them for a loop.
 */
const REMOVED = new Set([
  "bcc",
  "resent-bcc",
  "return-path",
  "delivered-to",
  "x-delivered-to",
  "x-original-to",
  "envelope-to",
  "x-envelope-to",
  "delivery-date",
]);

/**
 * Completes a submitted message: prepends the Received field (RFC 5321, 4.4) and a missing Date or Message-ID, repairing
 * those that receivers would reject (RFC 6409, 8); removes Bcc and fields that only receiving servers write; encodes lines
 * over 998 octets, which other servers may reject. All other bytes stay unchanged.
 *
 * The Received field doesn't name the client, whose address is often that of a home. The address is stored with the
 * message for the company's admins.
 */
export function completeContent(
  { fields, rest }: { fields: SubmittedField[]; rest: Buffer },
  { id, from, hostname, now }: { id: string; from: string; hostname: string; now: Date },
): { content: Buffer; messageId: string } {
  const kept = fields.filter((field) => !isRemoved(field, hostname));
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const ids = kept.filter(({ name }) => name === "message-id");
  const idField = ids.find(({ value }) => MESSAGE_ID.test(value));
  const messageId = idField?.value ?? repairedId(ids, domain) ?? `<${id}@${domain}>`;
  const dateField = kept.find(({ name, value }) => name === "date" && isDate(value));
  const date = now.toUTCString().replace("GMT", "+0000");
  const added = [
    `Received: by ${hostname} with ESMTPSA id ${id};\r\n\t${date}\r\n`,
    ...(dateField ? [] : [`Date: ${date}\r\n`]),
    ...(idField ? [] : [`Message-ID: ${messageId}\r\n`]),
  ];
  const header = kept.filter(
    (field) =>
      field === dateField ||
      field === idField ||
      (field.name !== "date" && field.name !== "message-id"),
  );
  return {
    messageId,
    content: withShortLines(
      Buffer.concat([
        Buffer.from(added.join("")),
        ...header.map(({ bytes }) => bytes),
        rest.length > 0 ? rest : Buffer.from("\r\n"),
      ]),
    ),
  };
}

/** As receivers want it (RFC 5322, 3.6.4); more characters than there, because programs use them. */
const MESSAGE_ID = /^<[!-;=?A-~]{1,450}@[!-;=?-~]{1,450}>$/;

/** The first usable ID in these fields, with angle brackets and a domain. */
function repairedId(ids: SubmittedField[], domain: string): string | null {
  const found = ids.flatMap(({ value }) => {
    const bare = /<([^\s<>]+)>/.exec(value)?.[1] ?? value.replace(/\([^()]*\)|[<>]/g, "").trim();
    return (
      [bare, `${bare}@${domain}`].map((id) => `<${id}>`).find((id) => MESSAGE_ID.test(id)) ?? []
    );
  });
  return found[0] ?? null;
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DATE = new RegExp(
  String.raw`^(?:[a-z]{3} ?, ?)?(\d{1,2}) (${MONTHS.join("|")}) (\d{2,4}) (\d{1,2}) ?: ?(\d{2})(?: ?: ?(\d{2}))? (?:[+-]\d{4}|[a-z]{1,5})$`,
  "i",
);

/** Whether it is a date and time of RFC 5322, 3.3, obsolete forms and zones included. */
function isDate(value: string): boolean {
  const text = value
    .replace(/\([^()]*\)/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const [, day = "", month = "", year = "", ...time] = DATE.exec(text) ?? [];
  const [hour, minute, second = 0] = time.map((part?: string) => Number(part ?? 0));
  const days = new Date(Date.UTC(Number(year), MONTHS.indexOf(month.toLowerCase()) + 1, 0));
  const isDay = Number(day) >= 1 && Number(day) <= days.getUTCDate();
  return isDay && hour! < 24 && minute! < 60 && second <= 60;
}

const isRemoved = ({ name, value }: SubmittedField, hostname: string): boolean =>
  REMOVED.has(name) || isOurField({ name, value: () => value }, hostname);
