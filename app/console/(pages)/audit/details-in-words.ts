/** What an entry says beside its action; nothing about it is sure. */
export type Details = Record<string, unknown>;

const LIST_MAX = 3;
const TEXT_MAX = 80;

/** A detail as text; an empty one where there is none. */
export function textIn(details: Details, name: string): string {
  const value = details[name];
  if (typeof value === "string") return shortened(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

const shortened = (text: string) => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);

/** A list of texts, the first few by name. */
export function listIn(details: Details, name: string): string {
  const value = details[name];
  if (!Array.isArray(value)) return textIn(details, name);
  const named = value.slice(0, LIST_MAX).map((each) => shortened(String(each)));
  const more = value.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
}

export function countIn(details: Details, name: string): number {
  const value = details[name];
  return typeof value === "number" ? value : 0;
}

/** "3 emails", "1 email" */
export const counted = (count: number, one: string): string =>
  `${count} ${count === 1 ? one : `${one}s`}`;

type Change = { from: unknown; to: unknown };

/** The changed fields of an entry: each with what it was and what it became. */
export function changesIn(details: Details): [field: string, change: Change][] {
  const { changed } = details;
  if (typeof changed !== "object" || changed === null) return [];
  return Object.entries(changed as Record<string, unknown>).filter(
    (entry): entry is [string, Change] =>
      typeof entry[1] === "object" && entry[1] !== null && "from" in entry[1] && "to" in entry[1],
  );
}

/** A value as it stands in a sentence. */
export function inWords(value: unknown): string {
  if (value === null || value === undefined || value === "") return "nothing";
  if (value === true) return "on";
  if (value === false) return "off";
  if (Array.isArray(value)) return value.length === 0 ? "nothing" : listIn({ value }, "value");
  return typeof value === "string" ? shortened(value) : JSON.stringify(value);
}

const MB_PER_GB = 1024;

/** "10 GB", "512 MB" */
export function sizeInWords(megabytes: unknown): string {
  if (typeof megabytes !== "number") return inWords(megabytes);
  const gigabytes = Math.round((megabytes / MB_PER_GB) * 10) / 10;
  return megabytes >= MB_PER_GB ? `${gigabytes} GB` : `${megabytes} MB`;
}

/** "suspended_at" and "suspendedAt" as "suspended at". */
export const spelledOut = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
