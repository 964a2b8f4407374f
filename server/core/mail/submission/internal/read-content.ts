import { detectFileType } from "#server/core/sending/compose/attachment-part.ts";
import { contentReferences } from "#server/core/shared/mime/content-references.ts";
import { toFileName } from "#server/core/shared/mime/parameters.ts";
import { readMessage } from "#server/core/shared/mime/read-message.ts";
import { storableText } from "#server/core/shared/text.ts";

/** The text and files that the API shows of a message that was submitted with a key. */
export type ShownContent = {
  text: string | null;
  html: string | null;
  files: {
    filename: string | null;
    contentType: string;
    /** Only of files that the HTML refers to. */
    contentId: string | null;
    content: Uint8Array;
  }[];
  /** False if files over the limit are missing. */
  isWhole: boolean;
};

const FILES_MAX = 100;

/** The API's limit. Anything beyond it is sent but not shown. */
export const SHOWN_CHARS_MAX = 2_000_000;

/** Can take some seconds, so call it in a thread. */
export function parseShownContent(message: Buffer): ShownContent {
  const { text, html, files, filesTotal } = readMessage(message, { filesMax: FILES_MAX });
  const isReferenced = contentReferences(html);
  return {
    text: text === null ? null : storableText(text, SHOWN_CHARS_MAX),
    html: html === null ? null : storableText(html, SHOWN_CHARS_MAX),
    files: files.map(({ filename, type, content, contentId }) => ({
      filename: filename === null ? null : toFileName(filename),
      contentType: detectFileType(type, filename),
      contentId:
        contentId !== null && isReferenced(contentId)
          ? storableText(contentId, SHOWN_CHARS_MAX)
          : null,
      content,
    })),
    isWhole: filesTotal === files.length,
  };
}
