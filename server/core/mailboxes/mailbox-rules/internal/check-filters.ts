import type { MailFilter } from "#drizzle/schema/index.ts";

import { invalidRule, readLine } from "./rule-text.ts";

const FILTERS_MAX = 50;
const CONDITIONS_MAX = 10;
const NAME_MAX = 100;
const VALUE_MAX = 200;
const FOLDER_MAX = 200;
const DEPTH_MAX = 8;

/** @throws Refusal `invalid` */
export function checkFilters(filters: MailFilter[]): MailFilter[] {
  if (filters.length > FILTERS_MAX)
    throw invalidRule(`A mailbox can have at most ${FILTERS_MAX} filters`);
  return filters.map(checkFilter);
}

function checkFilter(filter: MailFilter): MailFilter {
  const { conditions, action } = filter;
  if (conditions.length === 0) throw invalidRule("A filter needs at least one condition");
  if (conditions.length > CONDITIONS_MAX)
    throw invalidRule(`A filter can have at most ${CONDITIONS_MAX} conditions`);
  return {
    ...filter,
    name: readLine(filter.name, "Name", NAME_MAX),
    conditions: conditions.map((condition) => ({
      ...condition,
      value: readLine(condition.value, "Value", VALUE_MAX),
    })),
    action: action.kind === "file" ? { ...action, folder: checkFolder(action.folder) } : action,
  };
}

/** Validates a folder with `/` as separator, rejecting names that Dovecot would reject. */
function checkFolder(typed: string): string {
  const folder = readLine(typed, "Folder", FOLDER_MAX);
  const parts = folder.split("/").map((part) => part.trim());
  if (parts.some((part) => part === "" || /^\.+$|^~|[%*]/.test(part)))
    throw invalidRule(`${folder} isn't a valid folder name`);
  if (parts.length > DEPTH_MAX)
    throw invalidRule(`Folders can be nested at most ${DEPTH_MAX} levels deep`);
  return parts.join("/");
}
