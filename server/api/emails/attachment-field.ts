import { z } from "zod";

import type { AttachmentInput } from "#server/core/sending/emails/email-input.ts";
import { parseMediaType } from "#server/core/sending/emails/media-type.ts";
import { boundedList } from "#server/http/bounded.ts";
import { refusedAs } from "#server/http/issue-reason.ts";

import { decodeContent } from "./attachment-content.ts";
import { isGiven } from "./is-given.ts";

/** Of one email. */
const ATTACHMENTS_MAX = 20;
const FILENAME_MAX = 255;
const CONTENT_TYPE_MAX = 255;

/** Slashes of both kinds, control characters and what some readers take for a line end. */
const NOT_IN_A_FILENAME = /[/\\\p{Cc}\u2028\u2029]/u;
const CONTENT_ID = /^[A-Za-z0-9._@-]{1,100}$/;

const Filename = optionalText(
  (text) => text.length <= FILENAME_MAX && !NOT_IN_A_FILENAME.test(text) && text.isWellFormed(),
  `must be at most ${FILENAME_MAX} characters without slashes, backslashes, line breaks and control characters`,
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
    context.addIssue("must be the file in base64");
    return z.NEVER;
  })
  .meta({ type: "string", contentEncoding: "base64" });
const Remote = z
  .unknown()
  .refine((value) => !isGiven(value), { error: "is not supported: give the file as content" })
  .optional();

const attachment = {
  path: Remote.describe("Refused: files are not fetched"),
  href: Remote.describe("Refused: files are not fetched"),
  filename: Filename.describe("What the file is called"),
  content: Content.describe("The file in base64"),
  content_type: ContentType.describe(
    "Media type; left out, it follows from the file name. Also contentType",
  ),
  contentType: ContentType.describe("Other spelling of content_type"),
  content_id: ContentId.describe("For an image in html: shown as cid:<content_id>. Also contentId"),
  contentId: ContentId.describe("Other spelling of content_id"),
};

const Attachment = z
  .object(attachment, { error: "must be an object with the content of a file" })
  .transform((file): AttachmentInput => ({
    filename: file.filename || null,
    contentType: file.content_type || file.contentType || null,
    contentId: file.content_id || file.contentId || null,
    content: file.content,
  }));

/** Files, decoded. Their size together is a rule of the whole email. */
export const Attachments = boundedList(
  refusedAs("invalid_attachment", Attachment),
  ATTACHMENTS_MAX,
);

/** null and "" count as left out. */
function optionalText(isRight: (text: string) => boolean, error: string) {
  return z
    .string({ error })
    .refine((text) => text === "" || isRight(text), { error })
    .nullish();
}
