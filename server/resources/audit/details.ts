/** The details of an audit entry. Their shape depends on the action and is not guaranteed. */
export type Details = Record<string, unknown>;

/** Returns what follows the actor's name: "created the domain x.test". */
export type Description = (details: Details) => string;

const LIST_MAX = 3;
const TEXT_MAX = 80;

/** A detail as text, or "" if it is missing or not a scalar. */
export function textDetail(details: Details, name: string): string {
  const value = details[name];
  if (typeof value === "string") return truncate(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

const truncate = (text: string) => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);

/** "a, b, c and 2 more" */
export function listDetail(details: Details, name: string): string {
  const value = details[name];
  if (!Array.isArray(value)) return textDetail(details, name);
  const shown = value.slice(0, LIST_MAX).map((item) => truncate(String(item)));
  const more = value.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

export function countDetail(details: Details, name: string): number {
  const value = details[name];
  return typeof value === "number" ? value : 0;
}

type Change = { from: unknown; to: unknown };

export function changedFields(details: Details): [field: string, change: Change][] {
  const { changed } = details;
  if (typeof changed !== "object" || changed === null) return [];
  return Object.entries(changed as Record<string, unknown>).filter(
    (entry): entry is [string, Change] =>
      typeof entry[1] === "object" && entry[1] !== null && "from" in entry[1] && "to" in entry[1],
  );
}

export function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === "") return "(none)";
  if (value === true) return "on";
  if (value === false) return "off";
  if (Array.isArray(value)) return value.length === 0 ? "(none)" : listDetail({ value }, "value");
  return typeof value === "string" ? truncate(value) : JSON.stringify(value);
}

/** A size in an audit entry: "10 GB", "1,500 MB". */
export function formatSize(megabytes: unknown): string {
  if (typeof megabytes !== "number") return formatValue(megabytes);
  return megabytes >= 1024 && megabytes % 512 === 0
    ? `${(megabytes / 1024).toLocaleString("en")} GB`
    : `${megabytes.toLocaleString("en")} MB`;
}

/** "suspended_at" and "suspendedAt" become "suspended at". */
export const humanize = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
