import type { MailFilter } from "#drizzle/schema/index.ts";

import { encodeFolder, FOLDER_OCTETS_MAX, RESERVED_FOLDER } from "#server/gateways/dovecot-imap.ts";
import { readEach, readFields } from "#server/core/shared/read-fields.ts";

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
    throw invalidRule(`A mailbox can have at most ${FILTERS_MAX} filters`, "filters");
  return readEach(filters, checkFilter);
}

function checkFilter(filter: MailFilter, at: number): MailFilter {
  const { conditions, action } = filter;
  const path = `filters[${at}]`;
  if (conditions.length === 0)
    throw invalidRule("A filter needs at least one condition", `${path}.conditions`);
  if (conditions.length > CONDITIONS_MAX)
    throw invalidRule(
      `A filter can have at most ${CONDITIONS_MAX} conditions`,
      `${path}.conditions`,
    );
  const read = readFields({
    name: () => readLine(filter.name, { path: `${path}.name`, label: "Name" }, NAME_MAX),
    conditions: () =>
      readEach(conditions, (condition, at) => {
        const field = { path: `${path}.conditions[${at}].value`, label: "Value" };
        return { ...condition, value: readLine(condition.value, field, VALUE_MAX) };
      }),
    action: () =>
      action.kind === "file"
        ? { ...action, folder: checkFolder(action.folder, `${path}.action.folder`) }
        : action,
  });
  return { ...filter, ...read };
}

/** Validates a folder with `/` as separator, rejecting names that Dovecot would reject. */
function checkFolder(typed: string, path: string): string {
  const folder = readLine(typed, { path, label: "Folder" }, FOLDER_MAX);
  const parts = folder.split("/").map((part) => part.trim());
  if (parts.some((part) => /^\.*$|^~|[%*]/.test(part) || part === RESERVED_FOLDER))
    throw invalidRule(`${folder} isn't a valid folder name`, path);
  if (parts.some((part) => encodeFolder(part).length > FOLDER_OCTETS_MAX))
    throw invalidRule(
      `A folder name can have up to ${FOLDER_OCTETS_MAX} characters, or about 90 in non-Latin scripts`,
      path,
    );
  if (parts.length > DEPTH_MAX)
    throw invalidRule(`Folders can be nested at most ${DEPTH_MAX} levels deep`, path);
  return parts.join("/");
}
