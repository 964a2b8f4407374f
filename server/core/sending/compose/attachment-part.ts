import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";

import { detectExtension, detectMimeType } from "nodemailer/lib/mime-funcs/index.js";

import { type MediaType, parseMediaType } from "#server/core/sending/emails/attachments.ts";
import { filenameParameter, nameParameter } from "#server/core/shared/mime/parameters.ts";
import { foldedField, requireSingleLine } from "#server/core/shared/mime/header-fields.ts";

/** Makes lines of 76 characters (RFC 2045 section 6.8). */
const LINE_BYTES = 57;

const LINE_CHARS = 76;

/** Bytes to encode before yielding to the event loop: whole lines, a few milliseconds. */
const SLICE_BYTES = LINE_BYTES * 16_384;

/** An attachment of an email. */
export type Attachment = {
  filename: string | null;
  /** Null: derived from the file name. */
  contentType: string | null;
  /** A file that the HTML references as `cid:<contentId>` is shown in it; any other is an ordinary attachment. */
  contentId: string | null;
  content: Buffer;
};

const UNKNOWN_TYPE: MediaType = { name: "application/octet-stream", parameters: [] };

/** The type of a file, by its name if its program didn't know it. */
export const detectFileType = (type: string, filename: string | null): string =>
  type === UNKNOWN_TYPE.name && filename !== null ? detectMimeType(filename) : type;

/**
 * Builds a base64 body part for a file. Message and multipart types can't be encoded (RFC 2045 section 6.4),
 * and unencoded they might be altered in transit, so they are sent as octet-stream; mail programs recognize
 * them by file name.
 *
 * @param position index among the email's files; names those without a name
 * @param isShown referenced by the HTML
 */
export async function attachmentPart(
  file: Attachment,
  { position, isShown }: { position: number; isShown: boolean },
): Promise<BodyPart> {
  const { type, filename } = sentAs(file, position);
  requireSingleLine("filename", filename);
  const fields = [
    contentTypeField(type, filename),
    "Content-Transfer-Encoding: base64\r\n",
    file.contentId === null ? "" : contentIdField(file.contentId),
    foldedField("Content-Disposition", [
      isShown && isInlineType(type) ? " inline;" : " attachment;",
      ...filenameParameter(filename),
    ]),
  ];
  return { fields: fields.join(""), body: [await base64Lines(file.content)] };
}

/** Some programs append inline text parts to the email's own text. */
export const isInlineType = ({ name }: MediaType): boolean => !name.startsWith("text/");

/** The media type and the name that a file is sent with. */
export function sentAs(
  file: Pick<Attachment, "contentType" | "filename">,
  position: number,
): { type: MediaType; filename: string } {
  const type = mediaTypeOf(file);
  return { type, filename: file.filename ?? `attachment-${position + 1}.${extensionOf(type)}` };
}

function mediaTypeOf({
  contentType,
  filename,
}: Pick<Attachment, "contentType" | "filename">): MediaType {
  const type = parseMediaType(contentType ?? detectMimeType(filename ?? ""));
  return type === null || /^(?:message|multipart)\//.test(type.name) ? UNKNOWN_TYPE : type;
}

/** The library's table lists types without an extension, and lacks image types such as `image/jpg`. */
function extensionOf({ name }: MediaType): string {
  const extension = detectExtension(name);
  const [, image = "bin"] = /^image\/([a-z]{3,4})$/.exec(name) ?? [];
  return extension !== "bin" && /^[a-z0-9]+$/.test(extension) ? extension : image;
}

function contentTypeField(type: MediaType, filename: string): string {
  const parameters = type.parameters.filter(({ name }) => name.toLowerCase() !== "name");
  return foldedField("Content-Type", [
    ` ${type.name};`,
    ...parameters.map(({ name, value }) => ` ${name}=${value};`),
    ...nameParameter(filename),
  ]);
}

function contentIdField(contentId: string): string {
  if (!/^[\x21-\x3b\x3d\x3f-\x7e]+$/.test(contentId)) throw new Error("Not a Content-ID");
  return `Content-ID: <${contentId}>\r\n`;
}

/** Base64 with CRLF between the lines. Yields to the event loop, whatever the size. */
async function base64Lines(bytes: Buffer): Promise<Buffer> {
  const lines = Math.ceil(bytes.length / LINE_BYTES);
  const out = Buffer.allocUnsafe(
    Math.ceil(bytes.length / 3) * 4 + Math.max(lines - 1, 0) * "\r\n".length,
  );
  let length = 0;
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    if (start > 0) await setImmediate();
    const slice = Buffer.from(bytes.toString("base64", start, start + SLICE_BYTES), "latin1");
    for (let at = 0; at < slice.length; at += LINE_CHARS) {
      if (length > 0) length += out.write("\r\n", length, "latin1");
      length += slice.copy(out, length, at, at + LINE_CHARS);
    }
  }
  return out;
}

/** A body part: header fields with CRLFs, and octets without a trailing CRLF. */
export type BodyPart = { fields: string; body: Buffer[] };

const CRLF = Buffer.from("\r\n");
const latin1 = (text: string) => Buffer.from(text, "latin1");

/**
 * Combines parts (RFC 2046 section 5.1): `alternative` plainest first, `related` root first, `mixed` text
 * before files. A single part is returned as it is.
 *
 * @param seed determines the boundary, so that the same message always has the same bytes
 */
export function multipart(
  subtype: "alternative" | "related" | "mixed",
  parts: BodyPart[],
  seed: string,
): BodyPart {
  if (parts.length === 1) return parts[0]!;
  const boundary = boundaryFor(`${subtype} ${seed}`, parts);
  // RFC 2387 section 3.1 requires the type of the root part.
  const type = subtype === "related" ? `\r\n type="${typeOf(parts[0]!)}";` : "";
  return {
    fields: `Content-Type: multipart/${subtype};${type}\r\n boundary="${boundary}"\r\n`,
    body: [
      ...parts.flatMap(({ fields, body }) => [
        latin1(`--${boundary}\r\n${fields}\r\n`),
        ...body,
        CRLF,
      ]),
      latin1(`--${boundary}--`),
    ],
  };
}

/** Derived from the seed; retried if a part contains it. */
function boundaryFor(seed: string, parts: BodyPart[]): string {
  for (let attempt = 0; ; attempt++) {
    const boundary = `=_${hash("sha256", `${seed} ${attempt}`).slice(0, 32)}`;
    if (!parts.some(({ body }) => body.some((octets) => octets.includes(boundary))))
      return boundary;
  }
}

const typeOf = ({ fields }: BodyPart) =>
  /^Content-Type: ([^;\r]+)/.exec(fields)?.[1] ?? "text/plain";
