import { parseInThread } from "#server/core/shared/parser-thread.ts";

import { readContent } from "./read-content.ts";

parseInThread(readContent);
