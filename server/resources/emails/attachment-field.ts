import { z } from "zod";

import type { AttachmentInput } from "#server/core/sending/emails/email-input.ts";
import { parseMediaType } from "#server/core/sending/emails/attachments.ts";
import { FILE_NAME_MAX, isFileName } from "#server/core/shared/mime/parameters.ts";
import { boundedList } from "#server/http/text-fields.ts";
import { withReason } from "#server/http/parse.ts";
import { readByteList } from "#server/universal/parse-json.ts";

/** Maximum total size of an email's attachments, decoded. */
export const ATTACHMENTS_BYTES_MAX = 20 * 1024 * 1024;

/**
 * Decodes a file's content: base64, or a byte array as languages serialize it to JSON, `[80, 75, …]` or
 * `{"type": "Buffer", "data": [80, 75, …]}`. Null if it is invalid or empty.
 */
function decodeContent(content: unknown): Buffer | null {
  if (typeof content === "string") return decodeBase64(content);
  const list = isBufferJson(content) ? content.data : content;
  const bytes = Array.isArray(list) ? readByteList(list) : list instanceof Uint8Array ? list : null;
  return bytes?.length ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : null;
}

const isBufferJson = (content: unknown): content is { data: unknown } =>
  typeof content === "object" &&
  content !== null &&
  "data" in content &&
  "type" in content &&
  content.type === "Buffer";

/**
 * Decodes padded base64 in the standard alphabet (RFC 4648 section 4); line breaks are allowed anywhere.
 * Node's decoder ignores misplaced padding, which shows as a result that is too short.
 */
function decodeBase64(text: string): Buffer | null {
  const base64 = /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, "") : text;
  if (base64 === "" || base64.length % 4 !== 0 || /[^A-Za-z0-9+/=]/.test(base64)) return null;
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  const bytes = Buffer.from(base64, "base64");
  return bytes.length === (base64.length / 4) * 3 - padding ? bytes : null;
}

/** Whether an optional field has a value: clients send null, "" and [] for empty ones. */
export function hasValue(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  return !(Array.isArray(value) && value.length === 0);
}

const ATTACHMENTS_MAX = 20;

const CONTENT_TYPE_MAX = 255;

const CONTENT_ID = /^[A-Za-z0-9._@-]{1,100}$/;

const Filename = optionalText(
  isFileName,
  `must be at most ${FILE_NAME_MAX} characters, without slashes, backslashes, line breaks or control characters`,
);

const ContentType = optionalText(
  (text) => text.length <= CONTENT_TYPE_MAX && parseMediaType(text) !== null,
  `must be a media type of at most ${CONTENT_TYPE_MAX} characters, such as application/pdf`,
);

const ContentId = optionalText(
  (text) => CONTENT_ID.test(text),
  "must be 1 to 100 letters, digits, dots, underscores, at signs or dashes",
);

const Content = z
  .custom<string>()
  .transform((input, context) => {
    const content = decodeContent(input);
    if (content) return content;
    context.addIssue("must be a base64-encoded file");
    return z.NEVER;
  })
  .meta({ type: "string", contentEncoding: "base64" });

const Remote = z
  .unknown()
  .refine((value) => !hasValue(value), { error: "is not supported. Send the file in content" })
  .optional();

const attachment = {
  path: Remote.describe("Not supported: files are not fetched"),
  href: Remote.describe("Not supported: files are not fetched"),
  filename: Filename.describe("File name"),
  content: Content.describe("Base64-encoded content"),
  content_type: ContentType.describe("Media type. If absent, it is derived from the file name"),
  contentType: ContentType.describe("Alias of `content_type`"),
  content_id: ContentId.describe(
    "Content ID of an inline image, referenced in `html` as `cid:<content_id>`. A file that `html` doesn't reference is an ordinary attachment",
  ),
  contentId: ContentId.describe("Alias of `content_id`"),
};

const Attachment = z
  .object(attachment, { error: "must be an object with the file in content" })
  .transform((file): AttachmentInput => ({
    filename: file.filename || null,
    contentType: file.content_type || file.contentType || null,
    contentId: file.content_id || file.contentId || null,
    content: file.content,
  }));

/** Decoded files. EmailFields checks their total size. */
export const Attachments = boundedList(
  withReason("invalid_attachment", Attachment),
  ATTACHMENTS_MAX,
);

/** Null and "" count as absent. */
function optionalText(isRight: (text: string) => boolean, error: string) {
  return z
    .string({ error })
    .refine((text) => text === "" || isRight(text), { error })
    .nullish();
}
