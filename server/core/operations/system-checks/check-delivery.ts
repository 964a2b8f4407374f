import { listRecentBlocks } from "#server/core/sending/outbox/recent-blocks.ts";
import type { Db } from "#server/db/client.ts";

import { type Finding, ok, warning } from "./finding.ts";

const PART = "delivery";
const SHOWN_MAX = 3;

/** Checks for destinations that block this server. */
export async function checkBlocks(db: Db): Promise<Finding> {
  const blocks = await listRecentBlocks(db);
  if (blocks.length === 0) return ok(PART, "no destination blocks this server");
  const shown = blocks
    .slice(0, SHOWN_MAX)
    .map(({ destination, reply }) => `${destination}: ${reply}`);
  const more = blocks.length > SHOWN_MAX ? `; and ${blocks.length - SHOWN_MAX} more` : "";
  return warning(
    PART,
    `Mail is delayed because these destinations block this server: ${shown.join("; ")}${more}`,
    "Check that this server's IP address is on no blocklist and has a matching reverse DNS name, then ask the destinations to lift the block. Posthouse keeps retrying for days",
  );
}
