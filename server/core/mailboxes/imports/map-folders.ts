import { encodeFolder, FOLDER_OCTETS_MAX, RESERVED_FOLDER } from "#server/gateways/dovecot-imap.ts";

/** A folder of another server, as imapflow lists it. */
export type SourceFolder = {
  path: string;
  /** The parts of the path. */
  parent: string[];
  name: string;
  flags: ReadonlySet<string>;
  specialUse?: string | undefined;
  subscribed: boolean;
};

export type MappedFolder = {
  source: string;
  /** With `/` between its parts. */
  target: string;
  isSubscribed: boolean;
  /** A folder that shows the messages of others: only those that are in no other folder are imported. */
  isRest: boolean;
};

type Namespaces = {
  /** Prefix of the user's own folders: `INBOX.` at some servers. */
  prefix: string;
  /** Prefixes of folders that other users share. */
  shared: string[];
};

const SPECIAL: Record<string, string> = {
  "\\Sent": "Sent",
  "\\Drafts": "Drafts",
  "\\Junk": "Junk",
  "\\Trash": "Trash",
  "\\Archive": "Archive",
};

const OURS = new Set(Object.values(SPECIAL));

/** Views of messages that are in other folders too. Flagged messages keep their flag. */
const VIEWS = new Set(["\\Flagged", "\\Important"]);
/** Gmail's "All Mail". What has no label is nowhere else. */
const ALL = "\\All";

/** Limits of Dovecot and of file names, as encoded. Leaves room for the number of a repeated name. */
const DEPTH_MAX = 16;
const NAME_OCTETS_MAX = FOLDER_OCTETS_MAX - 15;
const PATH_OCTETS_MAX = 1_000;

/**
 * Decides into which folder of the mailbox each folder is imported: the inbox and folders for a special use (RFC 6154)
 * into the mailbox's own, all others into a folder with the same name, changed where Dovecot doesn't allow it. Two folders
 * share a target only if it is one of the former.
 */
export function mapFolders(folders: SourceFolder[], namespaces: Namespaces): MappedFolder[] {
  const own = folders.filter(
    ({ path, flags }) =>
      !flags.has("\\Noselect") &&
      !flags.has("\\NonExistent") &&
      !namespaces.shared.some((prefix) => prefix !== "" && path.startsWith(prefix)),
  );
  const usable = own.filter(
    ({ specialUse, flags }) =>
      !VIEWS.has(specialUse ?? "") && ![...VIEWS].some((view) => flags.has(view)),
  );
  const targets = new Map<string, string>(
    usable.flatMap((folder) => {
      const target = specialTarget(folder);
      return target ? [[partsOf(folder).join("\0"), target]] : [];
    }),
  );
  const taken = new Set(["INBOX"]);
  return usable.map((folder) => {
    const isRest = folder.specialUse === ALL;
    const target = isRest
      ? "Archive"
      : (specialTarget(folder) ?? unique(ordinaryTarget(folder, namespaces, targets), taken));
    return { source: folder.path, target, isSubscribed: folder.subscribed, isRest };
  });
}

const partsOf = ({ parent, name }: SourceFolder) => [...parent, name];

const specialTarget = ({ path, specialUse }: SourceFolder): string | undefined =>
  path.toUpperCase() === "INBOX" ? "INBOX" : SPECIAL[specialUse ?? ""];

/** Folders below one for a special use stay below it: `Sent Items/2024` becomes `Sent/2024`. */
function ordinaryTarget(
  folder: SourceFolder,
  { prefix }: Namespaces,
  targets: ReadonlyMap<string, string>,
): string[] {
  const parts = partsOf(folder);
  for (let length = parts.length - 1; length > 0; length--) {
    const target = targets.get(parts.slice(0, length).join("\0"));
    if (target === "INBOX" && prefix.toUpperCase().startsWith("INBOX")) break;
    if (target) return cleanSegments([target, ...parts.slice(length)]);
  }
  const isBelowPrefix = prefix !== "" && folder.path.startsWith(prefix) && parts.length > 1;
  return cleanSegments(isBelowPrefix ? parts.slice(1) : parts);
}

/** The names that Dovecot accepts, and at most as many levels. */
function cleanSegments(parts: string[]): string[] {
  const names = parts.map(cleanName);
  if (names.length <= DEPTH_MAX) return names;
  return [...names.slice(0, DEPTH_MAX - 1), shorten(names.slice(DEPTH_MAX - 1).join("_"))];
}

function cleanName(name: string): string {
  const printable = name
    .replaceAll(/[\p{Cc}\p{Cs}/]/gu, "_")
    .trim()
    .replace(/^~/, "_");
  if (/^\.*$/.test(printable) || printable === RESERVED_FOLDER) return `_${printable}`;
  return shorten(printable);
}

function shorten(name: string): string {
  let short = name.slice(0, NAME_OCTETS_MAX);
  while (encodeFolder(short).length > NAME_OCTETS_MAX) short = short.slice(0, -1);
  return short.replace(/[\uD800-\uDBFF]$/, "").trimEnd();
}

function unique(names: string[], taken: Set<string>): string {
  const whole = names.join("/");
  const path =
    encodeFolder(whole).length > PATH_OCTETS_MAX ? shorten(whole.replaceAll("/", "_")) : whole;
  for (let number = 1; ; number++) {
    const target = number === 1 ? path : `${path} (${number})`;
    if (OURS.has(target)) return target;
    if (taken.has(target)) continue;
    taken.add(target);
    return target;
  }
}
