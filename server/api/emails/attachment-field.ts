import { z } from "zod";

import type { AttachmentInput } from "#server/core/sending/emails/email-input.ts";
import { parseMediaType } from "#server/core/sending/emails/media-type.ts";
import { FILE_NAME_MAX, isFileName } from "#server/core/shared/mime/file-parameter.ts";
import { boundedList } from "#server/http/bounded.ts";
import { withReason } from "#server/http/issue-reason.ts";

import { decodeContent } from "./attachment-content.ts";
import { hasValue } from "./has-value.ts";

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
