import type { SetChange } from "#server/core/domains/dns-setup/dns-host.ts";

type Calls = {
  create: (record: SetChange["added"]) => Promise<unknown>;
  update: (id: string, record: SetChange["added"]) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
};

/**
 * Changes a set at a provider whose API knows single records: the first replaced record is updated in place, so that there
 * is no moment without one, and further ones are deleted afterwards.
 */
export async function writeRecords(
  { before, kept, added }: SetChange,
  { create, update, remove }: Calls,
): Promise<void> {
  const [first, ...others] = before.filter((record) => !kept.includes(record));
  await (first?.id ? update(first.id, added) : create(added));
  for (const { id } of others) if (id) await remove(id);
}
