import { generateKeyPairSync } from "node:crypto";

import { dkimSign, sealMessage } from "mailauth";

import type { Zones } from "#server/testing/fake-dns.ts";

import type { MailOrder } from "./mail-client.ts";

const BODY_BYTES = 4096;
const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const RECORD = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
const KEY = {
  selector: "s1",
  privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  algorithm: "rsa-sha256",
};

/** Records with which the messages pass SPF, DKIM, DMARC and ARC. */
export const SIGNED_MAIL_ZONES: Zones = {
  "sender.test": { TXT: ["v=spf1 ip4:127.0.0.1 -all"], MX: ["10 mx.sender.test"] },
  "s1._domainkey.sender.test": { TXT: [RECORD] },
  "s1._domainkey.forwarder.test": { TXT: [RECORD] },
  "_dmarc.sender.test": { TXT: ["v=DMARC1; p=reject"] },
};

/** Messages of about 4 KB from `sender.test`, each with a DKIM signature and the ARC set of a forwarder. */
export async function signedMail(count: number, recipients: string[]) {
  const messages: MailOrder["messages"] = [];
  for (let i = 0; i < count; i++) {
    const to = recipients[i % recipients.length]!;
    const plain = messageTo(to, i);
    const key = { ...KEY, signingDomain: "sender.test" };
    // Without it, mailauth reads the clock twice.
    const signTime = new Date();
    const { signatures } = await dkimSign(plain, { ...key, signTime, signatureData: [key] });
    const seal = {
      ...KEY,
      signTime,
      signingDomain: "forwarder.test",
      cv: "none" as const,
      authResults: "forwarder.test; spf=pass; dkim=pass header.d=sender.test; dmarc=pass",
    };
    const sealed = await sealMessage(signatures + plain, seal);
    const content = `${sealed.toString()}${signatures}${plain}`;
    messages.push({ from: "news@sender.test", to, content });
  }
  return messages;
}

function messageTo(to: string, i: number): string {
  const line = `Order ${i}: thank you, your parcel is on its way to you.\r\n`;
  return [
    "From: News <news@sender.test>",
    `To: <${to}>`,
    `Subject: Your order ${i}`,
    `Message-ID: <${i}.${crypto.randomUUID()}@sender.test>`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    "",
    line.repeat(Math.ceil(BODY_BYTES / line.length)),
  ].join("\r\n");
}
