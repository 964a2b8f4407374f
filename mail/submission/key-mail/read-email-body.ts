import {
  type AddressObject,
  type Attachment,
  type EmailAddress,
  simpleParser,
  type SimpleParserOptions,
} from "mailparser";

import { parseAddress } from "#server/core/addresses/parse-address.ts";
import { SmtpReply } from "#mail/mx/smtp-reply.ts";

import { apiHeaders } from "./api-headers.ts";

// Some are options of mailparser and of the splitter beneath it that its types do not know.
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  maxChildNodes: 100,
} satisfies SimpleParserOptions & Record<string, unknown>;

/**
 * A message as the body of a call of the API that sends it. Who gets it is said by the envelope: of To
 * and Cc stays who is in it, and who is in neither gets a blind copy.
 *
 * @param from the one address of From
 * @param recipients of the envelope, bare
 * @throws SmtpReply when it cannot be taken apart
 */
export async function readEmailBody(
  content: Buffer,
  { from, recipients }: { from: string; recipients: Set<string> },
): Promise<Record<string, unknown>> {
  const mail = await parse(content);
  const visible = new Set<string>();
  const seen = (field: typeof mail.to) =>
    peopleOf(field).flatMap((person) => {
      const address = parseAddress(person.address ?? "")?.address;
      if (address === undefined || !recipients.has(address) || visible.has(address)) return [];
      visible.add(address);
      return withName(person.name, address);
    });
  const to = seen(mail.to);
  const cc = seen(mail.cc);
  const hidden = [...recipients].filter((address) => !visible.has(address));
  // Whom the header names to nobody is told only of themselves.
  const isToOneHidden = to.length + cc.length === 0 && hidden.length === 1;
  return {
    from: withName(peopleOf(mail.from)[0]?.name ?? "", from),
    to: isToOneHidden ? hidden : to,
    cc,
    bcc: isToOneHidden ? [] : hidden,
    reply_to: peopleOf(mail.replyTo).map(({ name, address = "" }) => withName(name, address)),
    subject: mail.subject ?? "",
    html: mail.html === false ? null : mail.html,
    text: mail.text ?? null,
    headers: apiHeaders(mail),
    attachments: mail.attachments.map((file) => fileOf(file, mail.html || "")),
  };
}

async function parse(content: Buffer) {
  try {
    return await simpleParser(content, OPTIONS);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SmtpReply(554, "5.6.0", `The message cannot be read: ${why.slice(0, 200)}`);
  }
}

/** Groups stand for their members, if they name some. */
const peopleOf = (field: AddressObject | AddressObject[] | undefined): EmailAddress[] =>
  [field ?? []].flat().flatMap(({ value }) => value.flatMap((one) => one.group ?? one));

function withName(name: string, address: string): string {
  const shown = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const text = `"${shown.replace(/["\\]/g, "\\$&")}" <${address}>`;
  return shown !== "" && parseAddress(text) ? text : address;
}

function fileOf({ filename, contentType, content, cid }: Attachment, html: string) {
  return {
    filename: filename ?? null,
    content: content.toString("base64"),
    content_type: contentType,
    content_id: cid !== undefined && html.includes(`cid:${cid}`) ? cid : null,
  };
}
