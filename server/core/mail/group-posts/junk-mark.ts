import { headerFields } from "#server/core/shared/mime/header-fields.ts";

import { withoutFields } from "./internal/write-copy.ts";

// Removed from everything that comes in, so only we can set it.
const NAME = "x-posthouse-junk";

const marks = (content: Buffer) => headerFields(content).filter(({ name }) => name === NAME);

/** Whether the message was classified as spam on arrival and belongs in Junk. */
export const isJunk = (content: Buffer): boolean => marks(content).length > 0;

export const withoutJunkMark = (content: Buffer): Buffer => withoutFields(content, marks(content));
