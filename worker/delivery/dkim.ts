import { hash, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";

import { relaxedBodyHash } from "#server/core/sending/dkim/body-hash.ts";
import { SIGNATURE_DAYS } from "#server/core/sending/dkim/dkim-keys.ts";
import { fieldValue, headerFields, withoutFields } from "#server/core/shared/mime/header-fields.ts";

/** A header field as it appears in the message, including folded line ends but not the last one. */
type Field = { name: string; raw: string };

const LINE_CHARS_MAX = 78;
const DAY_SECONDS = 86_400;

/** Spelled as in `h=`. RFC 8058 section 4 requires the List-Unsubscribe ones, Gmail Feedback-ID. */
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
  "Feedback-ID",
  "In-Reply-To",
  "References",
];

/**
 * Listed once more than the message has them, so that an attacker can't add another (RFC 6376, 8.15). Mailing
 * lists add List-Unsubscribe to what people send them, and such a message must stay valid: see `Signing`.
 */
const OVER_SIGNED = new Set(["From", "To", "Cc", "Subject", "Date", "Reply-To", "Content-Type"]);
const LIST_FIELDS = new Set(["List-Unsubscribe", "List-Unsubscribe-Post"]);

type SigningKey = { selector: string; privateKey: KeyObject };

/** The `d=` and `s=` tags: keys are published at `selector._domainkey.domain`. */
type Signer = { domain: string; keys: SigningKey[] };

export type Signing = {
  now: Date;
  /** Sent by a program, not by a person who may write to mailing lists. */
  isAutomated: boolean;
};

const signAsync = promisify<string, Buffer, KeyObject, Buffer>(sign);

/**
 * Prepends a DKIM-Signature for each key (RFC 6376, RFC 8463): SHA-256, relaxed/relaxed, over the whole body,
 * which is read once. The message must have CRLF line ends.
 */
export async function signMessage(
  message: Buffer,
  { domain, keys }: Signer,
  { now, isAutomated }: Signing,
): Promise<Buffer> {
  if (keys.length === 0) return message;
  const { fields, body } = splitMessage(message);
  const signed = signedFields(fields, isAutomated);
  const canonical = signed.fields.map((field) => `${relaxedField(field)}\r\n`).join("");
  const tags = { domain, now, names: foldedNames(signed.names) };
  const bodyHash = await relaxedBodyHash(body);
  const headers = await Promise.all(
    keys.map(async ({ selector, privateKey }) => {
      const algorithm = algorithmOf(privateKey);
      const unsigned = unsignedHeader({ ...tags, bodyHash, selector, algorithm });
      const input = canonical + relaxedField({ name: "dkim-signature", raw: unsigned });
      const signature = await signText(input, privateKey);
      return unsigned + foldedSignature(signature.toString("base64"));
    }),
  );
  return Buffer.concat([Buffer.from(headers.join(""), "latin1"), message]);
}

function algorithmOf({ asymmetricKeyType: type }: KeyObject): "rsa" | "ed25519" {
  if (type === "rsa" || type === "ed25519") return type;
  throw new Error("The signing key is neither RSA nor Ed25519");
}

/** RSA runs on the thread pool. Ed25519 takes less time than handing it over; it signs the hash (RFC 8463, 3). */
function signText(latin1: string, key: KeyObject): Buffer | Promise<Buffer> {
  const input = Buffer.from(latin1, "latin1");
  return key.asymmetricKeyType === "rsa"
    ? signAsync("sha256", input, key)
    : sign(null, hash("sha256", input, "buffer"), key);
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
function signedFields(all: Field[], isAutomated: boolean) {
  const isList = isAutomated || all.some((field) => field.name === "list-unsubscribe");
  const names: string[] = [];
  const fields: Field[] = [];
  for (const name of SIGNED) {
    const lowercase = name.toLowerCase();
    const found = all.filter((field) => field.name === lowercase).reverse();
    fields.push(...found);
    names.push(...found.map(() => name));
    if (OVER_SIGNED.has(name) || (isList && LIST_FIELDS.has(name))) names.push(name);
  }
  return { names, fields };
}

type Tags = {
  domain: string;
  selector: string;
  algorithm: string;
  now: Date;
  /** Lines of the `h=` tag. */
  names: string[];
  bodyHash: string;
};

/** The field up to and including `b=`: what the signature covers. */
function unsignedHeader({ domain, selector, algorithm, now, names, bodyHash }: Tags): string {
  const time = Math.floor(now.getTime() / 1000);
  const lines = [
    `DKIM-Signature: v=1; a=${algorithm}-sha256; c=relaxed/relaxed;`,
    ` d=${domain};`,
    ` s=${selector}; t=${time}; x=${time + SIGNATURE_DAYS * DAY_SECONDS};`,
    ...names,
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

/**
 * Removes the signatures of these keys (RFC 6376, 3.5): a message resent from a mail app carries the one from
 * its first delivery, which may be broken by now. Signatures of others stay.
 */
export function removeSignature(
  message: Buffer,
  { domain, keys }: { domain: string; keys: { selector: string }[] },
): Buffer {
  const own = headerFields(message).filter((field) => {
    if (field.name !== "dkim-signature") return false;
    const tags = parseTags(fieldValue(message, field));
    const selector = tags.get("s")?.toLowerCase();
    return tags.get("d")?.toLowerCase() === domain && keys.some((key) => key.selector === selector);
  });
  return withoutFields(message, own);
}

function parseTags(value: string): Map<string, string> {
  return new Map(
    value.split(";").map((tag) => {
      const equals = tag.indexOf("=");
      const text = tag.slice(equals + 1).replace(/\s+/g, "");
      return [tag.slice(0, Math.max(equals, 0)).trim(), text];
    }),
  );
}
