import { parseInThread } from "#server/core/shared/parser-thread.ts";

import { parseShownContent } from "./read-content.ts";

parseInThread(parseShownContent);
