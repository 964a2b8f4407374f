import { type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";

import { relaxedBodyHash } from "./body-hash.ts";

/** A header field as it appears in the message, including folded line ends but not the last one. */
type Field = { name: string; raw: string };

const LINE_CHARS_MAX = 78;

/** Spelled as in `h=`. RFC 8058 section 4 requires the List-Unsubscribe ones. */
const SIGNED = [
  "From",
  "To",
  "Cc",
  "Subject",
  "Date",
  "Message-ID",
  "Reply-To",
  "MIME-Version",
  "Content-Type",
  "Content-Transfer-Encoding",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
  "In-Reply-To",
  "References",
];

/**
 * Listed once more than the message has them, so that an attacker can't add another (RFC 6376 section
 * 8.15).
 */
const OVER_SIGNED = new Set(["From", "Reply-To"]);

export type SigningKey = {
  /** The `d=` and `s=` tags: the key is published at `selector._domainkey.domain`. */
  domain: string;
  selector: string;
  privateKey: KeyObject;
};

const signAsync = promisify<string, Buffer, KeyObject, Buffer>(sign);

/**
 * Prepends a DKIM-Signature (RFC 6376): RSA-SHA256, relaxed/relaxed, over the whole body. The message must
 * have CRLF line ends. RSA runs on the thread pool.
 */
export async function signMessage(message: Buffer, key: SigningKey, now: Date): Promise<Buffer> {
  if (key.privateKey.asymmetricKeyType !== "rsa") throw new Error("The signing key is not RSA");
  const { fields, body } = splitMessage(message);
  const signed = signedFields(fields);
  const unsigned = unsignedHeader({
    key,
    now,
    names: signed.names,
    bodyHash: await relaxedBodyHash(body),
  });
  const own = relaxedField({ name: "dkim-signature", raw: unsigned });
  const input = [...signed.fields.map(relaxedField), own].join("\r\n");
  const signature = await signAsync("sha256", Buffer.from(input, "latin1"), key.privateKey);
  const header = unsigned + foldedSignature(signature.toString("base64"));
  return Buffer.concat([Buffer.from(header, "latin1"), message]);
}

function splitMessage(message: Buffer): { fields: Field[]; body: Buffer } {
  if (message.subarray(0, 2).equals(Buffer.from("\r\n"))) {
    return { fields: [], body: message.subarray(2) };
  }
  const end = message.indexOf("\r\n\r\n");
  if (end === -1) {
    return { fields: parseFields(message.toString("latin1")), body: Buffer.alloc(0) };
  }
  return {
    fields: parseFields(message.toString("latin1", 0, end)),
    body: message.subarray(end + 4),
  };
}

/** The names for `h=` and their fields: of several with one name, the last comes first. */
function signedFields(all: Field[]) {
  const names: string[] = [];
  const fields: Field[] = [];
  for (const name of SIGNED) {
    const lowercase = name.toLowerCase();
    const found = all.filter((field) => field.name === lowercase).reverse();
    fields.push(...found);
    names.push(...found.map(() => name));
    if (OVER_SIGNED.has(name)) names.push(name);
  }
  return { names, fields };
}

type Tags = { key: SigningKey; now: Date; names: string[]; bodyHash: string };

/** The field up to and including `b=`: what the signature covers. */
function unsignedHeader({ key, now, names, bodyHash }: Tags): string {
  const lines = [
    "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;",
    ` d=${key.domain};`,
    ` s=${key.selector}; t=${Math.floor(now.getTime() / 1000)};`,
    ...foldedNames(names),
    ` bh=${bodyHash};`,
    " b=",
  ];
  return lines.join("\r\n");
}

function foldedNames(names: string[]): string[] {
  const lines: string[] = [];
  let line = " h=";
  for (const [i, name] of names.entries()) {
    const piece = name + (i < names.length - 1 ? ":" : ";");
    if (line.length + piece.length > LINE_CHARS_MAX) {
      lines.push(line);
      line = "  ";
    }
    line += piece;
  }
  return [...lines, line];
}

function foldedSignature(base64: string): string {
  const width = LINE_CHARS_MAX - " b=".length;
  return `${base64.replace(new RegExp(`.{${width}}(?=.)`, "g"), "$&\r\n   ")}\r\n`;
}

/** Splits a header into its fields, in order. The header is latin1, which preserves every byte. */
function parseFields(header: string): Field[] {
  const fields: Field[] = [];
  for (const line of header.split("\r\n")) {
    const last = fields.at(-1);
    if (last && /^[ \t]/.test(line)) last.raw += `\r\n${line}`;
    else if (line) fields.push({ name: parseName(line), raw: line });
  }
  return fields;
}

/** A field in relaxed canonical form, without line end (RFC 6376 section 3.4.2). */
function relaxedField({ name, raw }: Field): string {
  const value = raw
    .slice(raw.indexOf(":") + 1)
    .replaceAll("\r\n", "")
    .replace(/[ \t]+/g, " ");
  const start = value.startsWith(" ") ? 1 : 0;
  const end = value.length - (value.endsWith(" ") ? 1 : 0);
  return `${name}:${value.slice(start, Math.max(start, end))}`;
}

function parseName(line: string): string {
  const colon = line.indexOf(":");
  return line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
}
