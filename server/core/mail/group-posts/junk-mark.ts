import type { Message } from "#server/core/shared/mime/message.ts";

// Removed from everything that comes in, so only we can set it.
const NAME = "x-posthouse-junk";

/** Whether the message was classified as spam on arrival and belongs in Junk. */
export const isJunk = (message: Message): boolean => message.named(NAME).length > 0;

export const withoutJunkMark = (message: Message): Message => message.without(message.named(NAME));
