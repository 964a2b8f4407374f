import type { ImapFlow, ListResponse } from "imapflow";

import { ImapSourceError, limitReceived, toSourceError } from "#server/gateways/imap-source.ts";

import { type MappedFolder, mapFolders } from "./map-folders.ts";

/** As many labels as Gmail allows. */
const FOLDERS_MAX = 10_000;
/** For the folder list, which imapflow holds in memory. */
const LIST_BYTES_MAX = 4 * 1024 * 1024;

export type CountedFolder = MappedFolder & { messages: number };

/** imapflow has this after sign-in; its types don't. */
type Namespaces = Partial<Record<"personal" | "other" | "shared", { prefix: string }[] | false>>;

/**
 * The folders of an account and their targets. Messages of the folder that shows all others aren't counted.
 *
 * @throws ImapSourceError
 */
export async function listSourceFolders(source: ImapFlow): Promise<CountedFolder[]> {
  const listed = await list(source);
  const { namespaces = {} } = source as { namespaces?: Namespaces };
  const prefixes = (kind: keyof Namespaces) =>
    (namespaces[kind] || []).map(({ prefix }) => prefix).filter(Boolean);
  const mapped = mapFolders(listed, {
    prefix: prefixes("personal")[0] ?? "",
    shared: [...prefixes("other"), ...prefixes("shared")],
  });
  const counts = new Map(listed.map(({ path, status }) => [path, status?.messages ?? 0]));
  return mapped.map((folder) => ({
    ...folder,
    messages: folder.isRest ? 0 : counts.get(folder.source)!,
  }));
}

async function list(source: ImapFlow): Promise<ListResponse[]> {
  const listed = await limitReceived(source, LIST_BYTES_MAX, () =>
    source.list({ statusQuery: { messages: true } }),
  ).catch((error: unknown) => {
    throw toSourceError(error);
  });
  if (listed.length > FOLDERS_MAX)
    throw new ImapSourceError("refused", `The account has more than ${FOLDERS_MAX} folders`);
  return listed;
}
