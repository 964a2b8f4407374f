import { headerFields } from "#server/core/shared/mime/header-fields.ts";

import { withoutFields } from "./internal/write-copy.ts";

/** Our own field: one that comes from outside, or from who signed in, is taken out on its way in. */
const NAME = "x-posthouse-junk";

const marks = (content: Buffer) => headerFields(content).filter(({ name }) => name === NAME);

/** Whether a message was taken for spam when it came in, and belongs into Junk. */
export const isJunk = (content: Buffer): boolean => marks(content).length > 0;

/** The message once somebody has said that it is none. */
export const withoutJunkMark = (content: Buffer): Buffer => withoutFields(content, marks(content));
