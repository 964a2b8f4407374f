import { readSearchTotals, searchObstacle } from "#server/core/platform/processes/search-facts.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

import { type Finding, ok, shortList, warning } from "./finding.ts";

const PART = "search";
const MB = 1024 * 1024;

/** Checks the search indexes of mailboxes. */
export async function checkSearch(db: Db): Promise<Finding> {
  const { full_text_search: setting } = await readSettings(db);
  if (setting === "off") return ok(PART, "Full-text search is off");
  const [found, advice] = (await searchObstacle(db))?.split(". ", 2) ?? [];
  if (found) return warning(PART, `Full-text search is on, but it ${found}`, advice!);
  const { mailboxes, indexed, bytes, errors } = await readSearchTotals(db);
  const progress = `${indexed} of ${pluralize(mailboxes, "mailbox", "mailboxes")} indexed, ${Math.ceil(bytes / MB)} MB`;
  if (errors.length === 0) return ok(PART, progress);
  return warning(
    PART,
    `${progress}. Couldn't index ${shortList(errors, { separator: "; " })}`,
    "Searches in these mailboxes still work, but are slower. Posthouse retries every hour. For details, run `posthouse logs --process mail`",
  );
}
