import type { Config } from "#server/config.ts";
import { unknownOutboundNames } from "#server/core/platform/settings/change-setting.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { type Finding, ok, warning } from "./finding.ts";

const PART = "delivery";

type Settings = Pick<Config, "hostname" | "outboundSources" | "roles">;

/** Checks that the setting `outbound_names` uses names that this host sends from. */
export async function checkOutboundNames(
  db: Db,
  { hostname, outboundSources, roles }: Settings,
): Promise<Finding> {
  const { outbound_names: setting } = await readSettings(db);
  const sources = outboundSources.length > 0 ? outboundSources : [{ name: hostname }];
  const unknown = roles.has("worker") ? unknownOutboundNames(setting, sources) : [];
  if (unknown.length === 0) return ok(PART, "every sender has a known source address");
  return warning(
    PART,
    `Mail that the setting outbound_names assigns to ${unknown.join(", ")} is sent from ${sources[0]!.name}, because POSTHOUSE_OUTBOUND_ADDRESSES doesn't have the name here`,
    "Correct the name with posthouse settings set outbound_names, or add it to POSTHOUSE_OUTBOUND_ADDRESSES",
  );
}
