import { readIncoming } from "#server/core/mail/incoming/read-incoming.ts";
import { parseInThread } from "#server/core/shared/parser-thread.ts";

parseInThread(readIncoming);
