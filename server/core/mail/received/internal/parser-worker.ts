import { parseInThread } from "#server/core/shared/parser-thread.ts";

import { parseContent } from "./parse-content.ts";

parseInThread(parseContent);
