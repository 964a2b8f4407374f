import { parseInThread } from "#server/core/shared/parser-thread.ts";

import { textFromHtml } from "./text-from-html.ts";

parseInThread((html) => textFromHtml(html.toString()));
